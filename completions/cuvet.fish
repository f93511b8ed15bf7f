# SPDX-License-Identifier: Apache-2.0
# fish completion for cuvet

function __cuvet_in
	set -l words (commandline -opc)
	set -l command check
	if set -q words[2]; and not string match -q -- '-*' $words[2]
		set command $words[2]
	end
	contains -- $command $argv
end

complete -c cuvet -f
complete -c cuvet -n __fish_use_subcommand -a check -d 'judge this machine and its Python environments'
complete -c cuvet -n __fish_use_subcommand -a gather -d 'record everything that check looks at into a bundle'
complete -c cuvet -n __fish_use_subcommand -a ld -d 'say what the dynamic loader would take, and what it refuses'
complete -c cuvet -n __fish_use_subcommand -a run -d 'start a program with the settings that make its libraries load'
complete -c cuvet -n __fish_use_subcommand -a arch -d 'list the GPU code in files and the GPUs it serves'
complete -c cuvet -n __fish_use_subcommand -a explain -d 'diagnose a pasted log, traceback or environment report'
complete -c cuvet -n __fish_use_subcommand -a kb -d 'ask the knowledge base'
complete -c cuvet -n __fish_use_subcommand -a rule -d 'explain a finding'
complete -c cuvet -n __fish_use_subcommand -a help -d 'show the help of a command'
complete -c cuvet -n __fish_use_subcommand -l version -d 'show the version'

complete -c cuvet -n '__cuvet_in check gather ld run arch' -l root -r -F -d 'look at a directory tree or a bundle'
complete -c cuvet -n '__cuvet_in check gather ld run arch' -l machine -r -F -d 'judge as if it ran on that machine'
complete -c cuvet -n '__cuvet_in check gather ld run arch' -l set -x -d 'set or unset an environment variable'
complete -c cuvet -n '__cuvet_in check gather ld run' -l python -r -F -d 'the environment of this interpreter'
complete -c cuvet -n '__cuvet_in check gather ld run' -l env -x -a '(__fish_complete_directories)' -d 'this environment'
complete -c cuvet -n '__cuvet_in check gather' -l all-envs -d 'every environment that is found'
complete -c cuvet -n '__cuvet_in gather' -l redact -d 'replace names, serial numbers and secrets'
complete -c cuvet -n '__cuvet_in check gather ld run arch explain kb rule' -s o -l output -r -F -d 'write to a file'
complete -c cuvet -n '__cuvet_in check ld run arch explain kb rule' -l json -d 'the same as --format json'
complete -c cuvet -n '__cuvet_in check' -l format -x -a 'terminal json facts' -d 'form of the output'
complete -c cuvet -n '__cuvet_in ld run arch kb rule' -l format -x -a 'terminal json' -d 'form of the output'
complete -c cuvet -n '__cuvet_in explain' -l format -x -a 'terminal json markdown' -d 'form of the output'
complete -c cuvet -n '__cuvet_in explain' -l live -d 'the text is of this machine'
complete -c cuvet -n '__cuvet_in check' -l fail-level -x -a 'error warning' -d 'least finding that makes exit status 1'
complete -c cuvet -n '__cuvet_in check ld run arch explain kb rule' -l exit-zero -d 'exit with 0 where it would be 1 or 3'
complete -c cuvet -n '__cuvet_in check ld run arch kb explain' -l kb -x -a '(__fish_complete_directories)' -d 'lay this knowledge over the built-in one'
complete -c cuvet -n '__cuvet_in check ld arch explain' -s v -l verbose -d 'show more'
complete -c cuvet -n '__cuvet_in check ld run arch explain kb rule' -l color -x -a 'auto always never' -d 'colour'
complete -c cuvet -n '__cuvet_in rule' -l list -d 'list all rules'
complete -c cuvet -n '__cuvet_in check gather ld run arch explain kb rule help' -s h -l help -d 'show the help'
complete -c cuvet -n '__cuvet_in ld' -l symbols -d 'look up undefined symbols too'
complete -c cuvet -n '__cuvet_in ld' -l flat -d 'a list instead of a tree'
complete -c cuvet -n '__cuvet_in ld' -l why -x -d 'only what leads to this library'
complete -c cuvet -n '__cuvet_in arch' -l gpu -x -d 'for this GPU'
complete -c cuvet -n '__cuvet_in arch' -l cc -x -d 'for GPUs of this compute capability'
complete -c cuvet -n '__cuvet_in ld arch explain' -F
complete -c cuvet -n '__cuvet_in rule' -a "(cuvet rule --list 2>/dev/null | string match -r -g '^([a-z0-9][a-z0-9-]*)  ')"
complete -c cuvet -n '__cuvet_in kb' -a 'torch onnxruntime-gpu onnxruntime tensorflow jax cupy triton xformers flash-attn bitsandbytes vllm tensorrt cuda cudnn nccl driver gpu cc python manylinux distro image cloud conda jetson jetpack error xid package var matrix claims add'
complete -c cuvet -n '__cuvet_in help' -a 'check gather ld arch explain kb rule help'
complete -c cuvet -n '__cuvet_in run' -l print -d 'print what would be set, and start nothing'
complete -c cuvet -n '__cuvet_in run' -l program -x -d 'what has to load'
complete -c cuvet -n '__cuvet_in run' -l cuda -x -a '(__fish_complete_directories)' -d 'let this CUDA toolkit come first'
