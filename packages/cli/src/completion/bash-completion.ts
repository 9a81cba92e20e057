import { type CommandNode, namesWithValue } from './command-nodes.ts';
import { quoted } from './quote.ts';

/** Returns a script for `source` in bash 3.2 and later. */
export function bashCompletion(nodes: readonly CommandNode[]): string {
  return `# Completion of gatewayctl for bash: source <(gatewayctl completion bash)
_gatewayctl_at() {
  case "$1" in
${nodes.map(placeCase).join('\n')}
  esac
}

_gatewayctl_value() {
  case "$1" in
${nodes.flatMap(valueCases).join('\n')}
  esac
}

_gatewayctl() {
  local commands options values arguments place='' skip='' word i
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  # bash makes three words of --name=value.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  _gatewayctl_at ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $skip ]]; then [[ $word == '=' ]] || skip=''
    elif [[ " $values " == *" $word "* ]]; then skip=1
    elif [[ " $commands " == *" $word "* ]]; then
      place="\${place:+$place }$word"
      _gatewayctl_at "$place"
    fi
  done
  if [[ " $values " == *" $previous "* ]]; then _gatewayctl_value "$place $previous"
  elif [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  else COMPREPLY=($(compgen -W "$commands $arguments" -- "$current")); fi
}
complete -F _gatewayctl gatewayctl
`;
}

function placeCase(node: CommandNode): string {
  const commands = node.commands.map(({ name }) => name);
  const options = node.options.flatMap(({ names }) => names);
  const parts = [
    `commands=${quoted(commands.join(' '))}`,
    `options=${quoted(options.join(' '))}`,
    `values=${quoted(namesWithValue([node]).join(' '))}`,
    `arguments=${quoted(node.argumentValues.join(' '))}`,
  ];
  return `    ${quoted(node.path)}) ${parts.join(' ')} ;;`;
}

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ names, takes, values }) => {
    const pattern = names.map((name) => quoted(`${path} ${name}`)).join(' | ');
    if (values.length > 0) {
      return [`    ${pattern}) COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$current")) ;;`];
    }
    if (takes !== 'file' && takes !== 'folder') return [];
    const what = takes === 'file' ? '-f' : '-d';
    return [
      `    ${pattern}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${what} -- "$current")) ;;`,
    ];
  });
}
