import type { PlannedCall } from './planned-call.ts';

/** The tools in which coding agents run a command, and how each one wants it. */
const COMMAND_TOOLS: Record<string, (command: string) => object> = {
  Bash: (command) => ({ command, description: 'Runs what the user asked for' }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
};

/** The calls that would run a command, of which that is made whose tool is offered. */
export function commandCalls(command: string): PlannedCall[] {
  return Object.entries(COMMAND_TOOLS).map(([name, inputOf]) => ({ name, input: inputOf(command) }));
}
