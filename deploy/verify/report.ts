/** A line of the table at the end. */
export interface Finding {
  what: string;
  isGood: boolean;
  seen: string;
}

export type Check = (what: string, isGood: boolean, seen: string) => void;

/** Collects findings, and prints each of them at once. */
export class Report {
  readonly findings: Finding[] = [];

  readonly check: Check = (what, isGood, seen) => {
    this.findings.push({ what, isGood, seen });
    process.stderr.write(`  ${isGood ? 'ok  ' : 'FAIL'}  ${what}: ${seen}\n`);
  };

  get isGood(): boolean {
    return this.findings.every((finding) => finding.isGood);
  }

  table(): string {
    const width = Math.max(...this.findings.map(({ what }) => what.length));
    const lines = this.findings.map(
      ({ what, isGood, seen }) => `${isGood ? 'ok  ' : 'FAIL'}  ${what.padEnd(width)}  ${seen}\n`,
    );
    return lines.join('');
  }
}
