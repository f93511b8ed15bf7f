# SPDX-License-Identifier: Apache-2.0
# bash completion for cuvet

_cuvet() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=check word options
	COMPREPLY=()

	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
		check|gather|ld|run|arch|explain|kb|rule|help) command=$word; break ;;
		esac
	done
	case $prev in
	--root|--machine|--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--env|--kb) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	--python) COMPREPLY=($(compgen -c -- "$cur") $(compgen -f -- "$cur")); return ;;
	--set) COMPREPLY=($(compgen -v -S = -- "$cur")); return ;;
	--fail-level) COMPREPLY=($(compgen -W "error warning" -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
	--format)
		options="terminal json"
		[ "$command" = check ] && options="terminal json facts"
		[ "$command" = explain ] && options="terminal json markdown"
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		return ;;
	esac
	case $command in
	check) options="--root --machine --set --python --env --all-envs --json --format -o --output --fail-level --exit-zero --kb -v --verbose --color -h --help" ;;
	gather) options="-o --output --redact --root --machine --set --python --env --all-envs -h --help" ;;
	ld) options="--symbols --flat --why --python --env --root --machine --set --json --format -o --output --exit-zero --kb -v --verbose --color -h --help" ;;
	run) options="--print --program --cuda --python --env --root --machine --set --json --format -o --output --exit-zero --kb --color -h --help" ;;
	arch) options="--gpu --cc --root --machine --set --json --format -o --output --exit-zero --kb -v --verbose --color -h --help" ;;
	explain) options="--live --json --format -o --output --exit-zero --kb -v --verbose --color -h --help" ;;
	kb) options="--json --format -o --output --exit-zero --kb --color -h --help" ;;
	rule) options="--list --json --format -o --output --exit-zero --color -h --help" ;;
	help) options="-h --help" ;;
	esac
	if [[ $cur == -* ]]; then
		[ "$COMP_CWORD" = 1 ] && options="$options --version"
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
	elif [ "$COMP_CWORD" = 1 ] || [ "$prev" = help ]; then
		COMPREPLY=($(compgen -W "check gather ld run arch explain kb rule help" -- "$cur"))
	elif [ "$command" = arch ] || [ "$command" = ld ] || [ "$command" = explain ]; then
		COMPREPLY=($(compgen -f -- "$cur"))
	elif [ "$command" = rule ]; then
		COMPREPLY=($(compgen -W "$(cuvet rule --list 2>/dev/null | sed -n 's/^\([a-z0-9][a-z0-9-]*\)  .*/\1/p')" -- "$cur"))
	elif [ "$prev" = kb ]; then
		COMPREPLY=($(compgen -W "torch onnxruntime-gpu onnxruntime tensorflow jax cupy triton xformers flash-attn bitsandbytes vllm tensorrt cuda cudnn nccl driver gpu cc python manylinux distro image cloud conda jetson jetpack error xid package var matrix claims add" -- "$cur"))
	fi
}

complete -F _cuvet cuvet
