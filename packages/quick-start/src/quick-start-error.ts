/** A failure, described in lines for the person who typed `npm start`; exit code 1. */
export class QuickStartError extends Error {
  override readonly name = 'QuickStartError';
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause });
    this.lines = lines;
  }
}
