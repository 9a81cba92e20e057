import type { Command } from 'commander';

/** A name that no option has. */
const HIDDEN = '--url-of-receiver';

/**
 * Lets `webhooks add` and `webhooks change` have a `--url` of their own: behind them, it names the receiver;
 * before them, the management API.
 */
export function separateReceiverUrl(program: Command): void {
  const parse = program.parseOptions.bind(program);
  program.parseOptions = (args) => {
    const { operands, unknown } = parse(hideUrl(args));
    return { operands, unknown: unknown.map((each) => rename(each, HIDDEN, '--url')) };
  };
}

function hideUrl(args: readonly string[]): string[] {
  const at = args.findIndex(
    (each, index) => each === 'webhooks' && ['add', 'change'].includes(args[index + 1] ?? ''),
  );
  return args.map((each, index) => (at >= 0 && index > at ? rename(each, '--url', HIDDEN) : each));
}

function rename(text: string, from: string, to: string): string {
  return text === from || text.startsWith(`${from}=`) ? `${to}${text.slice(from.length)}` : text;
}
