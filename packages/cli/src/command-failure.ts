/** What the user is told instead of a result; one line each on standard error, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause });
    this.lines = lines;
  }
}
