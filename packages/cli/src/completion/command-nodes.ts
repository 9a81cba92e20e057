import type { Argument, Command, Option } from 'commander';

/** A command, with the words that completion offers after `path`. */
export interface CommandNode {
  /** The words that lead here, such as "keys create"; empty: the program itself. */
  path: string;
  commands: { name: string; description: string }[];
  /** The options of the command and those of the program, which every command takes. */
  options: OptionNode[];
  /** The values that its arguments may have; empty: anything. */
  argumentValues: string[];
}

export interface OptionNode {
  /** The names as they are typed: `--file` and `-f`. */
  names: string[];
  description: string;
  takes: 'nothing' | 'value' | 'file' | 'folder';
  /** The values that it may have; empty: anything. */
  values: string[];
}

/** Lists the commands of the program, itself first, so that completion offers what exists. */
export function commandNodes(program: Command): CommandNode[] {
  return nodesBelow(program, '', program.options);
}

function nodesBelow(command: Command, path: string, everywhere: readonly Option[]): CommandNode[] {
  const own = path === '' ? [] : command.options;
  const node: CommandNode = {
    path,
    commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: [
      ...[...own, ...everywhere].map(optionNode),
      { names: ['--help', '-h'], description: 'display help for command', takes: 'nothing', values: [] },
    ],
    argumentValues: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
  };
  return [
    node,
    ...command.commands.flatMap((each) => nodesBelow(each, `${path} ${each.name()}`.trim(), everywhere)),
  ];
}

function optionNode(option: Option): OptionNode {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  return { names, description: option.description, takes: takenBy(option), values: option.argChoices ?? [] };
}

function takenBy({ flags, required, optional }: Option): OptionNode['takes'] {
  if (!required && !optional) return 'nothing';
  if (flags.endsWith('<file>')) return 'file';
  return flags.endsWith('<folder>') ? 'folder' : 'value';
}

/** Returns the names of the options that are followed by a value. */
export function namesWithValue(nodes: readonly CommandNode[]): string[] {
  const names = nodes.flatMap(({ options }) =>
    options.filter(({ takes }) => takes !== 'nothing').flatMap((option) => option.names),
  );
  return [...new Set(names)];
}
