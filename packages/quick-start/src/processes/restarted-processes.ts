import process from 'node:process';
import { inBackground } from '@model-gateway/service-kit';
import type { EmbeddedDatabase } from '../database.ts';
import { QuickStartError } from '../quick-start-error.ts';
import { onSamePorts } from './choose-port.ts';
import { recordProcesses } from './leftovers.ts';
import { RestartedProcess } from './restarted-process.ts';
import {
  lastLines,
  type ProcessDefinition,
  type ServiceProcess,
  startServiceProcess,
  waitUntilReady,
} from './service-process.ts';

export interface RestartedProcessesOptions {
  dataDir: string;
  signal: AbortSignal;
  /** Writes a line for the person who typed `npm start`. */
  report(line: string): void;
}

export interface StartedService extends ServiceProcess {
  /** Resolves when it is ready. Rejects when that takes too long, or when it has crashed too often. */
  ready(): Promise<void>;
}

const POSTGRES = 'postgres';

/** Everything that `npm start` runs. What crashes is started again, until it crashes too often. */
export class RestartedProcesses implements AsyncDisposable {
  readonly #options: RestartedProcessesOptions;
  #database: RestartedProcess | undefined;
  /** In the order of the calls of `start`; an entry is undefined until its service has started. */
  readonly #services: (RestartedProcess | undefined)[] = [];
  readonly #givenUp = new AbortController();
  readonly #lost = Promise.withResolvers<QuickStartError>();
  #onRestarted: () => void = () => undefined;

  constructor(options: RestartedProcessesOptions) {
    this.#options = options;
  }

  /** Resolves with the reason when a process has crashed too often. Then the others must stop, too. */
  get lost(): Promise<QuickStartError> {
    return this.#lost.promise;
  }

  /** The process ids by name, with npm start's own. */
  get ids(): Record<string, number> {
    return {
      npm_start: process.pid,
      ...Object.fromEntries(this.#all.map(({ name, pid }) => [name.replaceAll('-', '_'), pid])),
    };
  }

  /** @param listener is called now, and whenever a process gets another id */
  follow(listener: (ids: Record<string, number>) => void): void {
    this.#onRestarted = () => listener(this.ids);
    this.#onRestarted();
  }

  addDatabase({ port, ...embedded }: EmbeddedDatabase): void {
    this.#database = this.#restarted({ ...embedded, name: POSTGRES, ports: { port } });
  }

  /**
   * Starts a service. Several may start at the same time; they are stopped in the opposite order of the
   * calls.
   * @param definition a promise for a service that something else must come before
   * @throws QuickStartError when it does not start for the first time; PortTakenError; what `definition`
   *   rejects with
   */
  async start(definition: ProcessDefinition | Promise<ProcessDefinition>): Promise<StartedService> {
    const { dataDir, signal } = this.#options;
    const place = this.#services.push(undefined) - 1;
    const defined = await definition;
    signal.throwIfAborted();
    const service = await startServiceProcess(dataDir, defined, signal);
    this.#services[place] = this.#restarted({
      ...service,
      startAgain: async (signal) => {
        // Waits for the database: without it, the service would crash until `npm start` gives up.
        await this.#database?.running;
        signal.throwIfAborted();
        return await service.startAgain(signal);
      },
    });
    this.#record();
    const giveUp = AbortSignal.any([signal, this.#givenUp.signal]);
    return { ...service, ready: () => waitUntilReady(service, defined, giveUp) };
  }

  /** Stops them in the opposite order, so that each finds what it needs until it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const restarted of this.#all.toReversed()) await restarted.stop();
  }

  #restarted({ name, ports, logFile, first, startAgain }: ServiceProcess): RestartedProcess {
    const { report, signal } = this.#options;
    const numbers = Object.values(ports);
    const onTaken = () =>
      report(`${name} waits until no other program uses its ports (${numbers.join(', ')})`);
    const restarted = new RestartedProcess(first, {
      name,
      start: (signal) => onSamePorts(numbers, () => startAgain(signal), signal, onTaken),
      signal,
      report: (line) => report(`${line}, see ${logFile}`),
      onRestarted: () => {
        report(`${name} runs again`);
        this.#record();
        this.#onRestarted();
      },
    });
    const givenUp = restarted.givenUp.then((crashes) => {
      const lines = lastLines(logFile);
      const error = new QuickStartError([
        `${name} ended unexpectedly ${crashes} times within a minute; the last lines of ${logFile}:`,
        ...lines,
      ]);
      this.#givenUp.abort(error);
      this.#lost.resolve(error);
    });
    inBackground(givenUp);
    return restarted;
  }

  get #all(): RestartedProcess[] {
    return [this.#database, ...this.#services].filter((restarted) => restarted !== undefined);
  }

  #record(): void {
    recordProcesses(
      this.#options.dataDir,
      this.#services.filter((restarted) => restarted !== undefined),
    );
  }
}
