/** A line of the final table. */
export interface Finding {
  what: string;
  verdict: 'ok' | 'FAIL' | 'skip';
  seen: string;
}

export type Check = (what: string, isGood: boolean, seen: string) => void;
/** Reports what cannot be tested here, and why. */
export type Skip = (what: string, why: string) => void;

/** Collects findings, and prints each at once. */
export class Report {
  readonly findings: Finding[] = [];

  readonly check: Check = (what, isGood, seen) => this.#add({ what, verdict: isGood ? 'ok' : 'FAIL', seen });

  readonly skip: Skip = (what, why) => this.#add({ what, verdict: 'skip', seen: why });

  #add(finding: Finding): void {
    this.findings.push(finding);
    process.stderr.write(`  ${finding.verdict.padEnd(4)}  ${finding.what}: ${finding.seen}\n`);
  }

  get isGood(): boolean {
    return this.findings.every(({ verdict }) => verdict !== 'FAIL');
  }

  table(): string {
    const width = Math.max(...this.findings.map(({ what }) => what.length));
    const lines = this.findings.map(
      ({ what, verdict, seen }) => `${verdict.padEnd(4)}  ${what.padEnd(width)}  ${seen}\n`,
    );
    return lines.join('');
  }
}
