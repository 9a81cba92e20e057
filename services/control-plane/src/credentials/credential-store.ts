import { Prisma, type PrismaClient } from '@model-gateway/database';
import type { CredentialCounts } from '@model-gateway/shared';
import { z } from 'zod';

/**
 * The data planes whose answers count. Where none has a lease, because a busy machine holds them all up,
 * those whose lease ran out a moment ago still count: their answers have not become wrong.
 */
const RUNNING = Prisma.sql`
  SELECT instance_id FROM key_watchers
  WHERE lease_until > now() - CASE
    WHEN EXISTS (SELECT FROM key_watchers WHERE lease_until > now()) THEN interval '0'
    ELSE interval '10 seconds' END`;

const COUNTS = Prisma.sql`
  (count(*) FILTER (WHERE c.is_set))::int AS "setIn",
  (count(*) FILTER (WHERE NOT c.is_set))::int AS "missingIn",
  (count(r.instance_id) FILTER (WHERE c.is_set IS NULL))::int AS "unknownIn"`;

const counts = { variable: z.string(), setIn: z.int(), missingIn: z.int(), unknownIn: z.int() };
const countRows = z.array(z.object(counts));
const providerRows = z.array(z.object({ providerId: z.string(), ...counts }));
const variableRows = z.array(z.object({ instanceId: z.string(), variable: z.string() }));
const openRows = z.tuple([z.object({ open: z.boolean() })]);

/**
 * Knows which data planes have which of the variables that providers name as their credential. The
 * environment of a data plane does not change while it runs, so its answer stays true as long as the process
 * lives.
 */
export class CredentialStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Notes that every running data plane must be asked about these variables, and wakes the feeds that ask.
   */
  async ask(variables: readonly string[]): Promise<void> {
    await this.#prisma.$executeRaw`
      WITH running AS (${RUNNING}), asked AS (
        INSERT INTO data_plane_credentials (instance_id, variable)
        SELECT r.instance_id, given.variable
        FROM running AS r CROSS JOIN unnest(${[...variables]}::text[]) AS given (variable)
        ORDER BY 1, 2
        ON CONFLICT DO NOTHING
      )
      SELECT pg_notify('gateway_credentials', '')`;
  }

  /**
   * Notes that these data planes must be asked about the credentials that the catalog in force names.
   * @returns for each data plane, the variables that it has not answered for yet
   */
  async unanswered(instanceIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = variableRows.parse(
      await this.#prisma.$queryRaw`
        WITH asked AS (
          INSERT INTO data_plane_credentials (instance_id, variable)
          SELECT DISTINCT given.instance_id, p.credential_env
          FROM unnest(${[...instanceIds]}::text[]) AS given (instance_id) CROSS JOIN providers AS p
          WHERE p.retired_at IS NULL AND p.credential_env IS NOT NULL AND NOT EXISTS (
            SELECT FROM data_plane_credentials AS c
            WHERE c.instance_id = given.instance_id AND c.variable = p.credential_env
          )
          ORDER BY 1, 2
          ON CONFLICT DO NOTHING
          RETURNING instance_id, variable
        )
        SELECT instance_id AS "instanceId", variable FROM asked
        UNION ALL
        SELECT instance_id, variable FROM data_plane_credentials
        WHERE instance_id = ANY(${[...instanceIds]}::text[]) AND is_set IS NULL`,
    );
    return variablesByInstance(rows);
  }

  /** Stores which variables a data plane has and which it lacks. Other variables are ignored. */
  async answer(
    instanceId: string,
    { set, missing }: { set: readonly string[]; missing: readonly string[] },
  ): Promise<void> {
    await this.#prisma.$executeRaw`
      WITH locked AS (
        SELECT variable FROM data_plane_credentials
        WHERE instance_id = ${instanceId} AND variable = ANY(${[...set, ...missing]}::text[])
        ORDER BY variable FOR UPDATE
      ), answered AS (
        UPDATE data_plane_credentials AS c SET is_set = c.variable = ANY(${[...set]}::text[])
        FROM locked WHERE c.instance_id = ${instanceId} AND c.variable = locked.variable
      )
      SELECT pg_notify('gateway_credentials', '')`;
  }

  /** Returns whether a running data plane still has to answer for one of these variables. */
  async isOpen(variables: readonly string[]): Promise<boolean> {
    const [{ open }] = openRows.parse(
      await this.#prisma.$queryRaw`
        WITH running AS (${RUNNING})
        SELECT EXISTS (
          SELECT FROM data_plane_credentials AS c JOIN running AS r USING (instance_id)
          WHERE c.is_set IS NULL AND c.variable = ANY(${[...variables]}::text[])
        ) AS open`,
    );
    return open;
  }

  /** Returns, for each variable, how many data planes have it, lack it, and have not said. */
  async counts(variables: readonly string[]): Promise<Map<string, CredentialCounts>> {
    const rows = countRows.parse(
      await this.#prisma.$queryRaw`
        WITH running AS (${RUNNING})
        SELECT given.variable, ${COUNTS}
        FROM unnest(${[...variables]}::text[]) AS given (variable)
        LEFT JOIN running AS r ON true
        LEFT JOIN data_plane_credentials AS c ON c.instance_id = r.instance_id AND c.variable = given.variable
        GROUP BY given.variable`,
    );
    return new Map(rows.map(({ variable, ...row }) => [variable, row]));
  }

  /** Returns these counts for every provider in force that needs a credential. */
  async ofProviders(): Promise<({ providerId: string; variable: string } & CredentialCounts)[]> {
    return providerRows.parse(
      await this.#prisma.$queryRaw`
        WITH running AS (${RUNNING})
        SELECT p.id AS "providerId", p.credential_env AS variable, ${COUNTS}
        FROM providers AS p
        LEFT JOIN running AS r ON true
        LEFT JOIN data_plane_credentials AS c
          ON c.instance_id = r.instance_id AND c.variable = p.credential_env
        WHERE p.retired_at IS NULL AND p.credential_env IS NOT NULL
        GROUP BY p.id ORDER BY p.id`,
    );
  }

  /** Returns, for each data plane, the variables that the catalog in force names and that it lacks. */
  async missing(): Promise<Map<string, string[]>> {
    const rows = variableRows.parse(
      await this.#prisma.$queryRaw`
        SELECT instance_id AS "instanceId", variable FROM data_plane_credentials
        WHERE NOT is_set AND variable IN (SELECT credential_env FROM providers WHERE retired_at IS NULL)
        ORDER BY 1, 2`,
    );
    return variablesByInstance(rows);
  }

  /** Forgets the answers of data planes that are forgotten themselves. */
  async prune(): Promise<void> {
    await this.#prisma.$executeRaw`
      DELETE FROM data_plane_credentials AS c
      WHERE NOT EXISTS (SELECT FROM key_watchers AS w WHERE w.instance_id = c.instance_id)`;
  }
}

function variablesByInstance(rows: z.infer<typeof variableRows>): Map<string, string[]> {
  const byInstance = new Map<string, string[]>();
  for (const { instanceId, variable } of rows) {
    byInstance.set(instanceId, [...(byInstance.get(instanceId) ?? []), variable]);
  }
  return byInstance;
}
