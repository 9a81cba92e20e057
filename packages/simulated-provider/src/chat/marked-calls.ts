import { type ChatMessage, messageText } from './chat-request.ts';

/** A tool call of an answer. */
export interface PlannedCall {
  name: string;
  input: unknown;
}

/** Alternatives for one call. The model makes the first whose tool the request offers. */
export type MarkedCall = readonly PlannedCall[];

/** Tools by which coding agents run a command, and the input that each expects. */
const COMMAND_TOOLS: Record<string, (command: string) => object> = {
  Bash: (command) => ({ command, description: 'Runs what the user asked for' }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
};

/** `run: <command>` and `use <tool>: <JSON object>`, each up to the end of its line. */
const MARK = /(?:^|\s)(?<also>also )?(?:run: (?<command>\S.*)|use (?<tool>[\w-]+): (?<input>\{.*\}))\s*$/i;

/**
 * Finds the tools that a user wants called in this turn, so that a test can lead an agent through its tools.
 * Each marked line of the user's text is a turn; a line with `also` belongs to the turn of the line before.
 * @param isParallel false: a line with `also` is a turn of its own
 */
export function nextMarkedCalls(messages: readonly ChatMessage[], isParallel: boolean): MarkedCall[] {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'user') continue;
    const turns = markedTurns(messageText(message), isParallel);
    if (turns.length === 0) continue;
    // Each assistant message with calls since then has done one turn.
    const done = messages.slice(at + 1).filter(({ role, tool_calls: calls }) => {
      return role === 'assistant' && (calls?.length ?? 0) > 0;
    });
    return turns[done.length] ?? [];
  }
  return [];
}

function markedTurns(text: string, isParallel: boolean): MarkedCall[][] {
  const turns: MarkedCall[][] = [];
  for (const line of text.split('\n')) {
    const { also, command, input = '', tool } = MARK.exec(line)?.groups ?? {};
    const call = command === undefined ? namedCall(tool, input) : commandCall(command);
    if (call === undefined) continue;
    const last = turns.at(-1);
    if (also !== undefined && isParallel && last !== undefined) last.push(call);
    else turns.push([call]);
  }
  return turns;
}

function commandCall(text: string): MarkedCall {
  const command = /^`(.+)`$/.exec(text.trim())?.[1] ?? text.trim();
  return Object.entries(COMMAND_TOOLS).map(([name, inputOf]) => ({ name, input: inputOf(command) }));
}

function namedCall(tool: string | undefined, input: string): MarkedCall | undefined {
  if (tool === undefined) return undefined;
  try {
    return [{ name: tool, input: JSON.parse(input) }];
  } catch {
    return undefined;
  }
}
