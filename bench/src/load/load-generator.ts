import { z } from 'zod';
import { nodeProgram, type Program, type ProgramOptions } from '../processes/program.ts';
import {
  type ClosedLoopJob,
  type ClosedLoopResult,
  closedLoopResult,
  type OpenLoopJob,
  type OpenLoopResult,
  openLoopResult,
  type StreamsJob,
  type StreamsResult,
  streamsResult,
} from './job.ts';

const START_MS = 30_000;
/** Added to the time that a job itself takes. */
const JOB_TIMEOUT_MS = 240_000;

const reply = z.object({ id: z.int(), result: z.unknown().optional(), error: z.string().optional() });

/** The process that sends load. One serves the whole run, so that its code is warm. Jobs may overlap. */
export class LoadGenerator implements AsyncDisposable {
  readonly #program: Program;
  #jobs = 0;
  readonly #waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();

  private constructor(program: Program) {
    this.#program = program;
    program.child.on('message', (message) => this.#settle(reply.parse(message)));
    program.child.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the load generator has ended'));
    });
  }

  static async start(options: Pick<ProgramOptions, 'environment' | 'logDir'>): Promise<LoadGenerator> {
    const program = await nodeProgram({
      ...options,
      name: 'load',
      file: 'bench/src/programs/load.ts',
      ipc: true,
    });
    await program.firstMessage(START_MS);
    return new LoadGenerator(program);
  }

  async closedLoop(job: Omit<ClosedLoopJob, 'kind'>): Promise<ClosedLoopResult> {
    return closedLoopResult.parse(await this.#run({ kind: 'closed', ...job }));
  }

  async openLoop(job: Omit<OpenLoopJob, 'kind'>): Promise<OpenLoopResult> {
    return openLoopResult.parse(await this.#run({ kind: 'open', ...job }));
  }

  async streams(job: Omit<StreamsJob, 'kind'>): Promise<StreamsResult> {
    return streamsResult.parse(await this.#run({ kind: 'streams', ...job }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#program[Symbol.asyncDispose]();
  }

  async #run(job: ClosedLoopJob | OpenLoopJob | StreamsJob): Promise<unknown> {
    const id = this.#jobs++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(new Error(`a ${job.kind} job takes too long`)), JOB_TIMEOUT_MS);
    this.#program.child.send({ id, job });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  #settle({ id, result, error }: z.infer<typeof reply>): void {
    const waiting = this.#waiting.get(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }
}
