import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash-completion.ts';
import { type CommandNode, commandNodes } from '../completion/command-nodes.ts';
import { fishCompletion } from '../completion/fish-completion.ts';
import { zshCompletion } from '../completion/zsh-completion.ts';
import type { Io } from '../io.ts';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Record<
  string,
  (nodes: readonly CommandNode[]) => string
>;

/** Adds `completion`, which needs no control plane: it generates the script from the commands. */
export function addCompletion(program: Command, io: Pick<Io, 'writeOut'>): void {
  program
    .command('completion')
    .description('print a script that completes command lines: source <(gatewayctl completion bash)')
    .addArgument(new Argument('<SHELL>', 'your shell').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => {
      const script = SCRIPTS[shell](commandNodes(program));
      io.writeOut(program.opts().json === true ? `${JSON.stringify({ shell, script }, null, 2)}\n` : script);
    });
}
