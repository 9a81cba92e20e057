import { type CommandNode, namesWithValue, type OptionNode } from './command-nodes.ts';
import { quotedForFish as quoted } from './quote.ts';

/** Returns a script for `source` in fish, or for its folder of completions. */
export function fishCompletion(nodes: readonly CommandNode[]): string {
  const places = nodes.map(({ path }) => path).filter((path) => path !== '');
  return `# Completion of gatewayctl for fish: gatewayctl completion fish | source
function __gatewayctl_at
    set -l place
    set -l skip
    for word in (commandline -opc)[2..]
        if set -q skip[1]
            set skip
        else if contains -- $word ${namesWithValue(nodes).join(' ')}
            set skip 1
        else if contains -- (string trim -- "$place $word") ${places.map(quoted).join(' ')}
            set place $place $word
        end
    end
    test "$place" = "$argv"
end

complete -c gatewayctl -f
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, argumentValues }: CommandNode): string[] {
  const complete = `complete -c gatewayctl -n ${quoted(`__gatewayctl_at ${path}`.trim())}`;
  return [
    ...commands.map(({ name, description }) => `${complete} -a ${name} -d ${quoted(description)}`),
    ...argumentValues.map((value) => `${complete} -a ${value}`),
    ...options.map((option) => `${complete} ${flagsOf(option)} -d ${quoted(option.description)}`),
  ];
}

function flagsOf({ names, takes, values }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (values.length > 0) flags.push(`-x -a ${quoted(values.join(' '))}`);
  else if (takes === 'file') flags.push('-r -F');
  else if (takes === 'folder') flags.push("-x -a '(__fish_complete_directories)'");
  else if (takes === 'value') flags.push('-x');
  return flags.join(' ');
}
