import type { RoutedModel } from '../catalog/model-table.ts';
import type { CapabilityCall } from './capability-call.ts';

export interface CandidateModel {
  model: RoutedModel;
  /** True if the caller named it. A request that may not use it is then refused; others are skipped. */
  isNamed: boolean;
}

/** In the order in which they are tried, each after the failure of the previous. */
export type CandidateModels = readonly [CandidateModel, ...CandidateModel[]];

type CallOf = (model: RoutedModel) => CapabilityCall;

export class Candidate implements CandidateModel {
  readonly model: RoutedModel;
  readonly isNamed: boolean;
  readonly #callOf: CallOf;
  #request: CapabilityCall | undefined;

  constructor({ isNamed, model }: CandidateModel, callOf: CallOf) {
    this.model = model;
    this.isNamed = isNamed;
    this.#callOf = callOf;
  }

  /** Creates the call on first use: only for a model that is tried or that money is reserved for. */
  get request(): CapabilityCall {
    this.#request ??= this.#callOf(this.model);
    return this.#request;
  }
}

const NO_OTHERS: readonly Candidate[] = [];

export class Candidates {
  /** The candidate that is tried now, or has responded. */
  current: Candidate;
  #others: readonly Candidate[];

  constructor([first, ...others]: CandidateModels, callOf: CallOf) {
    this.current = new Candidate(first, callOf);
    this.#others = others.length === 0 ? NO_OTHERS : others.map((other) => new Candidate(other, callOf));
  }

  get others(): readonly Candidate[] {
    return this.#others;
  }

  /** Drops remaining candidates that the request may not use. */
  keepOthers(mayUse: (other: Candidate) => boolean): void {
    this.#others = this.#others.filter(mayUse);
  }

  /** Moves on to the next candidate. Call this only if there is one. */
  next(): void {
    const [next, ...others] = this.#others;
    if (next === undefined) throw new Error('no other model may answer');
    this.current.request.abandon?.();
    this.current = next;
    this.#others = others;
  }
}
