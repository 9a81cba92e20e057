import type { Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { type Host, runAs } from './virtual-time.ts';

/** Protocol 3.0. */
const STARTUP = 196_608;
const READY = 'Z'.charCodeAt(0);
const NOTIFICATION = 'A'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);
const PARSE = 'P'.charCodeAt(0);
const PARSED = '1'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** Saves all rows and sequences, to begin each run with them. */
const SAVE_ROWS = `
  DO $$
  DECLARE name text;
  BEGIN
    DROP SCHEMA IF EXISTS saved, saved_sequences CASCADE;
    CREATE SCHEMA saved;
    CREATE SCHEMA saved_sequences;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'
      AND tablename NOT LIKE 'usage_records_%'
    LOOP
      EXECUTE format('CREATE TABLE saved.%I AS SELECT * FROM public.%I', name, name);
    END LOOP;
    CREATE TABLE saved_sequences.known AS SELECT sequencename AS name, last_value AS value FROM pg_sequences
      WHERE schemaname = 'public';
  END $$`;
const RESTORE_ROWS = `
  DO $$
  DECLARE names text; name text;
  BEGIN
    -- Without checks of foreign keys, so that the order does not matter.
    SET LOCAL session_replication_role = replica;
    SELECT string_agg(format('public.%I', tablename), ', ') INTO names FROM pg_tables WHERE schemaname = 'saved';
    EXECUTE 'TRUNCATE ' || names;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'saved' LOOP
      EXECUTE format('INSERT INTO public.%I SELECT * FROM saved.%I', name, name);
    END LOOP;
    PERFORM setval(format('public.%I', s.name), coalesce(s.value, 1), s.value IS NOT NULL) FROM saved_sequences.known s;
  END $$`;

/**
 * The real Postgres, in this process (PGlite), behind simulated connections. It has one session: transactions
 * of different connections run one after the other.
 */
export class SimulatedPostgres {
  readonly #postgres: PGlite;
  readonly #host: () => Host;
  readonly #listeners = new Set<Session>();
  /** Names of prepared statements. A name stands for the same statement on every connection. */
  readonly #prepared = new Set<string>();
  #waiting: { session: Session; unit: Buffer }[] = [];
  /** The connection with an open transaction. */
  #inTransaction: Session | undefined;

  constructor(postgres: PGlite, host: () => Host) {
    this.#postgres = postgres;
    this.#host = host;
  }

  static async start(host: () => Host): Promise<SimulatedPostgres> {
    const postgres = await PGlite.create();
    // The plan must not depend on how often a statement has run. Nothing survives this process anyway.
    await postgres.exec('SET plan_cache_mode = force_generic_plan; SET synchronous_commit = off');
    return new SimulatedPostgres(postgres, host);
  }

  /** Runs SQL at once, without the network. */
  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const results = await runAs(this.#host(), () => this.#postgres.exec(sql));
    return results.at(-1)?.rows ?? [];
  }

  /** Ends all connections, as a crash does: what is not committed is lost. */
  reset(): void {
    this.#listeners.clear();
    this.#waiting = [];
    this.#inTransaction = undefined;
    this.#execute(query('ROLLBACK'));
  }

  /** Saves all rows, for `restore`. */
  async save(): Promise<void> {
    await this.rows(SAVE_ROWS);
  }

  /** Replaces all rows with the saved ones. */
  async restore(): Promise<void> {
    await this.rows(RESTORE_ROWS);
  }

  accept(socket: Socket): void {
    const session = new Session(socket, (unit) => {
      this.#waiting.push({ session, unit });
      this.#runWaiting();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => this.#end(session));
    socket.on('close', () => this.#end(session));
  }

  #end(session: Session): void {
    this.#listeners.delete(session);
    this.#waiting = this.#waiting.filter((each) => each.session !== session);
    if (this.#inTransaction !== session) return;
    this.#inTransaction = undefined;
    this.#execute(query('ROLLBACK'));
    this.#runWaiting();
  }

  #runWaiting(): void {
    for (;;) {
      const next = this.#waiting.findIndex(
        ({ session }) => this.#inTransaction === undefined || session === this.#inTransaction,
      );
      const [work] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (work === undefined) return;
      const { session, unit } = work;
      const { reply, isIdle } = this.#execute(unit);
      if (unit.includes('LISTEN "')) this.#listeners.add(session);
      this.#inTransaction = isIdle ? undefined : session;
      session.reply(reply);
    }
  }

  #execute(unit: Buffer): { reply: Buffer; isIdle: boolean } {
    const name = unit[0] === PARSE ? unit.toString('latin1', 5, unit.indexOf(0, 5)) : '';
    const isPrepared = this.#prepared.has(name);
    const sent = isPrepared ? unit.subarray(frameEnd(unit, 0)) : unit;
    const output = Buffer.from(runAs(this.#host(), () => this.#postgres.execProtocolRawSync(sent)));
    const ownFrames = isPrepared ? [message('1', Buffer.alloc(0))] : [];
    let isIdle = true;
    for (let at = 0; at < output.length; at = frameEnd(output, at)) {
      const frame = output.subarray(at, frameEnd(output, at));
      if (frame[0] === NOTIFICATION) for (const listener of this.#listeners) listener.reply(frame);
      else ownFrames.push(frame);
      if (frame[0] === PARSED && name !== '') this.#prepared.add(name);
      if (frame[0] === READY) isIdle = frame[5] === IDLE;
    }
    return { reply: Buffer.concat(ownFrames), isIdle };
  }
}

/** One connection. Collects messages until they are a unit that Postgres can run: up to a Sync or a Query. */
class Session {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #unitLength = 0;
  #isStarted = false;

  constructor(socket: Socket, onUnit: (unit: Buffer) => void) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      if (!this.#isStarted) this.#start();
      this.#takeUnits(onUnit);
    });
  }

  reply(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  #start(): void {
    if (this.#bytes.length < 8 || this.#bytes.readInt32BE(4) !== STARTUP) return;
    this.#bytes = this.#bytes.subarray(this.#bytes.readInt32BE(0));
    this.#isStarted = true;
    const parameters = { server_version: '18.0', client_encoding: 'UTF8', TimeZone: 'UTC' };
    this.reply(
      Buffer.concat([
        message('R', Buffer.alloc(4)),
        ...Object.entries(parameters).map((pair) => message('S', Buffer.from(`${pair.join('\0')}\0`))),
        message('K', Buffer.alloc(8)),
        message('Z', Buffer.from('I')),
      ]),
    );
  }

  #takeUnits(onUnit: (unit: Buffer) => void): void {
    while (this.#isStarted && this.#bytes.length >= this.#unitLength + 5) {
      const type = this.#bytes[this.#unitLength];
      const end = frameEnd(this.#bytes, this.#unitLength);
      if (this.#bytes.length < end) return;
      this.#unitLength = end;
      if (type !== SYNC && type !== QUERY && type !== TERMINATE) continue;
      const unit = this.#bytes.subarray(0, end);
      this.#bytes = this.#bytes.subarray(end);
      this.#unitLength = 0;
      if (type === TERMINATE) this.#socket.end();
      else onUnit(unit);
    }
  }
}

/** Returns where the message ends that begins at `start`. */
function frameEnd(bytes: Buffer, start: number): number {
  return start + 1 + bytes.readInt32BE(start + 1);
}

function query(sql: string): Buffer {
  return message('Q', Buffer.from(`${sql}\0`));
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
