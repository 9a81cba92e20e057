import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';

const plain = z.record(z.string(), z.string());
const manifest = z.looseObject({
  kind: z.literal('Secret'),
  metadata: z.looseObject({ name: z.string() }),
  stringData: plain,
});

/** Value of an entry whose key is being created. */
const PENDING = '';

/**
 * The secrets of new keys, in a file that only its owner can read: JSON with a member for each key, or the
 * manifest of a Kubernetes Secret. Each change replaces the whole file at once.
 */
export class SecretsFile {
  readonly #path: string;
  /** Name of the Secret; undefined: plain JSON. */
  readonly #secretName: string | undefined;
  readonly #entries: Map<string, string>;

  private constructor(path: string, secretName: string | undefined, entries: Map<string, string>) {
    this.#path = path;
    this.#secretName = secretName;
    this.#entries = entries;
  }

  /** Reads the secrets of earlier runs. @throws CommandFailure if the file does not hold secrets */
  static async open(path: string, secretName: string | undefined): Promise<SecretsFile> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new CommandFailure([`cannot read ${path}: ${error.message}`], { code: 'unreadable_file' });
    });
    const entries = text === undefined ? {} : entriesIn(text, secretName);
    if (entries === undefined) {
      const expected = secretName === undefined ? 'secrets' : `the manifest of a Secret ${secretName}`;
      const problem = `${path} does not hold ${expected}, and is left as it is: name another file`;
      throw new CommandFailure([problem], { code: 'invalid_file' });
    }
    return new SecretsFile(path, secretName, new Map(Object.entries(entries)));
  }

  /** Returns true if an earlier run ended while it created this key, so that nobody has its secret. */
  isPending(name: string): boolean {
    return this.#entries.get(this.#nameOf(name)) === PENDING;
  }

  /** Notes that a key is being created, before it exists. */
  async begin(name: string): Promise<void> {
    await this.#set(name, PENDING);
  }

  async put(name: string, secret: string): Promise<void> {
    await this.#set(name, secret);
  }

  /** Removes the note of a key that was not created. */
  async forget(name: string): Promise<void> {
    this.#entries.delete(this.#nameOf(name));
    await this.#write();
  }

  async #set(name: string, secret: string): Promise<void> {
    this.#entries.set(this.#nameOf(name), secret);
    await this.#write();
  }

  async #write(): Promise<void> {
    const entries = Object.fromEntries(this.#entries);
    const content =
      this.#secretName === undefined
        ? entries
        : {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: this.#secretName },
            type: 'Opaque',
            stringData: entries,
          };
    await replaceFile(this.#path, `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Returns the name of an entry. Kubernetes allows only some characters in it. */
  #nameOf(name: string): string {
    return this.#secretName === undefined ? name : name.replaceAll(/[^-._a-zA-Z0-9]/g, '_');
  }
}

function entriesIn(text: string, secretName: string | undefined): Record<string, string> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    if (secretName === undefined) return plain.safeParse(content).data;
    const found = manifest.safeParse(content).data;
    return found?.metadata.name === secretName ? found.stringData : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a file at once by a new one of mode 0600. */
async function replaceFile(path: string, text: string): Promise<void> {
  const written = join(dirname(path), `.gatewayctl-${randomBytes(8).toString('hex')}`);
  try {
    await using file = await open(written, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure([`cannot write ${path}: ${reason}`], { cause: error });
  }
}
