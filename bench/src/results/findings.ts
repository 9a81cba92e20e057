import type { Assertion, Goal } from './part-result.ts';
import { median, spreadText } from './statistics.ts';

/** The checks and goals of a run. */
export class Findings {
  readonly assertions: Assertion[] = [];
  readonly goals: Goal[] = [];
  readonly say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.say = say;
  }

  assert(says: string, isTrue: boolean, found: string): void {
    this.assertions.push({ says, isTrue, found });
    if (!isTrue) this.say(`FAILED: ${says}: ${found}`);
  }

  /** Records a figure of several rounds that should not exceed a bound. Not measured counts as missed. */
  goal(says: string, rounds: readonly number[], atMost: number, unit: string): void {
    const isReached = medianOf(rounds) <= atMost;
    const found = `${spreadText(rounds, 2)} ${unit}`;
    this.goals.push({ says: `${says} at most ${atMost} ${unit}`, isReached, found });
  }

  /** Records a figure of several rounds that should not fall below a bound. */
  goalAtLeast(says: string, rounds: readonly number[], atLeast: number): void {
    const isReached = medianOf(rounds) >= atLeast;
    this.goals.push({ says: `${says} at least ${atLeast}`, isReached, found: spreadText(rounds, 0) });
  }

  /** Records the ratio of two figures of the same rounds, whose median should not exceed a bound. */
  ratioGoal(says: string, { rounds, against, atMost, unit }: RatioGoal): void {
    const ratios = rounds.map((value, round) => value / (against[round] ?? Number.NaN));
    const found = `${spreadText(ratios, 2)} × (${spreadText(rounds, 1)} against ${spreadText(against, 1)} ${unit})`;
    this.goals.push({ says: `${says} at most ${atMost} ×`, isReached: medianOf(ratios) <= atMost, found });
  }
}

/** Returns the median of the values that are numbers; NaN, which reaches no goal, if there are none. */
function medianOf(rounds: readonly number[]): number {
  const values = rounds.filter(Number.isFinite);
  return values.length === 0 ? Number.NaN : median(values);
}

interface RatioGoal {
  rounds: readonly number[];
  against: readonly number[];
  atMost: number;
  unit: string;
}
