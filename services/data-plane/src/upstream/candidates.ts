import type { RoutedModel } from '../catalog/model-table.ts';
import type { CapabilityCall } from './capability-call.ts';

/** A model that may answer a request. */
export interface CandidateModel {
  model: RoutedModel;
  /** The caller has asked for it: where the request may not use it, that is refused, and not passed over. */
  isNamed: boolean;
}

/** In the order in which they are asked: each where all before it have failed. */
export type CandidateModels = readonly [CandidateModel, ...CandidateModel[]];

type CallOf = (model: RoutedModel) => CapabilityCall;

/** A model that may answer a request, and what the request is for it. */
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

  /** Made once, and only for a model that is asked or that money is set aside for. */
  get request(): CapabilityCall {
    this.#request ??= this.#callOf(this.model);
    return this.#request;
  }
}

/** The models that may answer one request. */
export class Candidates {
  /** The one that is asked, or that has answered. */
  current: Candidate;
  #others: readonly Candidate[];

  constructor([first, ...others]: CandidateModels, callOf: CallOf) {
    this.current = new Candidate(first, callOf);
    this.#others = others.map((other) => new Candidate(other, callOf));
  }

  /** Candidates that are still to be tried if all before them fail. */
  get others(): readonly Candidate[] {
    return this.#others;
  }

  /** Leaves out those of the others that the request may not use. */
  keepOthers(mayUse: (other: Candidate) => boolean): void {
    this.#others = this.#others.filter(mayUse);
  }

  /** Goes on to the next one. To be called where there is one. */
  next(): void {
    const [next, ...others] = this.#others;
    if (next === undefined) throw new Error('no other model may answer');
    this.current.request.abandon?.();
    this.current = next;
    this.#others = others;
  }
}
