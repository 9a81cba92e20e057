import { type CommandNode, namesWithValue } from './command-nodes.ts';
import { quoted } from './quote.ts';

/** Returns a script for `source` in zsh, or for a file _gatewayctl on its fpath. */
export function zshCompletion(nodes: readonly CommandNode[]): string {
  return `#compdef gatewayctl
# Completion of gatewayctl for zsh: source <(gatewayctl completion zsh)
_gatewayctl_at() {
  commands=() options=() values=() arguments=()
  case "$1" in
${nodes.map(placeCase).join('\n')}
  esac
}

_gatewayctl() {
  local -a commands options values arguments
  local place='' skip='' word
  _gatewayctl_at ''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=''
    elif (( \${values[(Ie)$word]} )); then skip=1
    elif (( \${commands[(I)\${(b)word}:*]} )); then
      place="\${place:+$place }$word"
      _gatewayctl_at "$place"
    fi
  done
  if [[ -n $skip ]]; then
    case "$place \${words[CURRENT-1]}" in
${nodes.flatMap(valueCases).join('\n')}
    esac
  elif [[ $PREFIX == -* ]]; then _describe -o option options
  else
    if (( $#commands )); then _describe command commands; fi
    if (( $#arguments )); then compadd -a arguments; fi
  fi
}

if [[ "\${funcstack[1]}" == _gatewayctl ]]; then _gatewayctl "$@"; else compdef _gatewayctl gatewayctl; fi
`;
}

function placeCase(node: CommandNode): string {
  const commands = node.commands.map(({ name, description }) => quoted(`${name}:${description}`));
  const options = node.options.flatMap(({ names, description }) =>
    names.map((name) => quoted(`${name}:${description}`)),
  );
  const parts = [
    `commands=(${commands.join(' ')})`,
    `options=(${options.join(' ')})`,
    `values=(${namesWithValue([node]).join(' ')})`,
    `arguments=(${node.argumentValues.map(quoted).join(' ')})`,
  ];
  return `    (${quoted(node.path)}) ${parts.join(' ')} ;;`;
}

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ names, takes, values }) => {
    const pattern = names.map((name) => quoted(`${path} ${name}`)).join('|');
    if (values.length > 0) return [`      (${pattern}) compadd ${values.map(quoted).join(' ')} ;;`];
    if (takes !== 'file' && takes !== 'folder') return [];
    return [`      (${pattern}) _files${takes === 'file' ? '' : ' -/'} ;;`];
  });
}
