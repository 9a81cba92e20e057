import type { ControlPlaneClient, WatchKeysEventMessage } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';

export interface Hello {
  instanceId: string;
  resumeRevision: number;
  pepperFingerprint: string;
}

/** A data plane's side of WatchKeys, which says nothing by itself except the hello. */
export class Watch {
  readonly instanceId: string;
  readonly events: WatchKeysEventMessage[] = [];
  /** How the stream ended; undefined while it is open. */
  outcome: { error: Error | undefined } | undefined;
  readonly #stream: ReturnType<ControlPlaneClient['stubs']['keys']['watchKeys']>;
  #onEvent: (event: WatchKeysEventMessage) => void = () => undefined;
  #pings = 0;
  #pinging: NodeJS.Timeout | undefined;

  constructor(client: ControlPlaneClient, hello: Hello) {
    this.instanceId = hello.instanceId;
    this.#stream = client.stubs.keys.watchKeys(client.metadata);
    this.#stream.on('data', (event: WatchKeysEventMessage) => {
      this.events.push(event);
      this.#onEvent(event);
    });
    this.#stream.on('error', (error) => this.#ended(error));
    this.#stream.on('end', () => this.#ended(undefined));
    this.#stream.write({ hello });
  }

  get revisions(): number[] {
    return this.events.flatMap(({ changed }) => (changed ? [Number(changed.revision)] : []));
  }

  /** Waits for the answer to the hello. */
  async welcome() {
    await until(() => this.events.length > 0 || this.outcome !== undefined);
    const [first] = this.events;
    if (!first?.welcome) throw this.outcome?.error ?? new Error(`no welcome: ${JSON.stringify(first)}`);
    return first.welcome;
  }

  /** Waits for an event of a key. */
  async changeOf(keyId: string) {
    const find = () => this.events.find(({ changed }) => changed?.keyId === keyId)?.changed;
    await until(() => find() !== undefined);
    return find();
  }

  ping(): number {
    this.#stream.write({ ping: { sequence: ++this.#pings } });
    return this.#pings;
  }

  /** Sends a ping and waits for its answer, or that of a later one: only the newest of several is answered. */
  async heartbeat() {
    const sequence = this.ping();
    const find = () =>
      this.events.find(({ heartbeat }) => Number(heartbeat?.sequence ?? -1) >= sequence)?.heartbeat;
    await until(() => find() !== undefined || this.outcome !== undefined);
    const heartbeat = find();
    if (!heartbeat) throw this.outcome?.error ?? new Error('the stream ended instead of a heartbeat');
    return heartbeat;
  }

  /** From now on, keeps the lease in the way of a data plane. */
  keepPinging(): void {
    this.#pinging = setInterval(() => this.ping(), 200);
  }

  ack(revision: number | string): void {
    this.#stream.write({ ack: { revision } });
  }

  /** The variables that it was asked about, in all questions about credentials so far. */
  get askedVariables(): Set<string> {
    return new Set(this.events.flatMap(({ credentialQuestion }) => credentialQuestion?.variables ?? []));
  }

  /** From now on, answers every question about credentials like a data plane with these variables. */
  answerCredentials(...has: string[]): void {
    this.#onEvent = ({ credentialQuestion }) => {
      if (credentialQuestion) this.reportCredentials(credentialQuestion.variables, has);
    };
    this.reportCredentials([...this.askedVariables], has);
  }

  reportCredentials(variables: readonly string[], has: readonly string[]): void {
    const isSet = (variable: string) => has.includes(variable);
    const credentialReport = {
      set: variables.filter(isSet),
      missing: variables.filter((variable) => !isSet(variable)),
    };
    this.#stream.write({ credentialReport });
  }

  /** Waits until this many questions about limits have come, and returns the last one. */
  async limitQuestion(count = 1) {
    const find = () => this.events.flatMap(({ limitQuestion }) => limitQuestion ?? []);
    await until(() => find().length >= count);
    const question = find().at(-1);
    if (question === undefined) throw new Error('no question');
    return question;
  }

  reportLimits(questionId: string, uses: Record<string, Record<string, number>>): void {
    const keys = Object.entries(uses).map(([keyId, policies]) => ({
      keyId,
      policies: Object.entries(policies).map(([name, used]) => ({ name, used })),
    }));
    this.#stream.write({ limitReport: { questionId, keys } });
  }

  /** Acknowledges every event at once, earlier ones included. */
  ackEverything(): void {
    this.#onEvent = ({ welcome, changed }) => {
      const revision = (welcome ?? changed)?.revision;
      if (revision !== undefined) this.ack(revision);
    };
    for (const event of this.events) this.#onEvent(event);
  }

  /** Says goodbye: ends its side of the stream. */
  end(): void {
    clearInterval(this.#pinging);
    this.#stream.end();
  }

  /** Breaks the stream, as a crash does. */
  cancel(): void {
    clearInterval(this.#pinging);
    this.#stream.cancel();
  }

  #ended(error: Error | undefined): void {
    clearInterval(this.#pinging);
    this.outcome ??= { error };
  }
}
