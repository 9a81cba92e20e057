import { Prisma } from '@model-gateway/database';
import type { CredentialCounts } from '@model-gateway/shared';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

/**
 * Selects the data planes whose replies count. When none has a lease (busy machine), those whose lease just
 * ended still count.
 */
const RUNNING = Prisma.sql`
  SELECT instance_id FROM key_watchers
  WHERE lease_until > now() - CASE
    WHEN EXISTS (SELECT FROM key_watchers WHERE lease_until > now()) THEN interval '0'
    ELSE interval '10 seconds' END`;

const NEEDED = Prisma.sql`
  SELECT p.id AS provider_id, names.variable
  FROM providers AS p CROSS JOIN LATERAL unnest(p.credential_envs) AS names (variable)
  WHERE p.retired_at IS NULL`;

const STORED = Prisma.sql`SELECT DISTINCT name FROM provider_credentials`;

/**
 * Counts data planes that have a credential of a group, lack all, or have not replied. Reads the CTEs
 * `running` (instance_id) and `given` (name, variable).
 * @param stored selects the names of stored credentials, which every data plane has
 */
function counted(stored: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT name,
      (count(instance_id) FILTER (WHERE is_set))::int AS "setIn",
      (count(instance_id) FILTER (WHERE NOT is_set))::int AS "missingIn",
      (count(instance_id) FILTER (WHERE is_set IS NULL))::int AS "unknownIn"
    FROM (
      SELECT g.name, r.instance_id, CASE
        WHEN bool_or(c.is_set OR s.name IS NOT NULL) THEN true
        WHEN count(c.is_set) = count(*) THEN false END AS is_set
      FROM given AS g
      LEFT JOIN running AS r ON true
      LEFT JOIN data_plane_credentials AS c ON c.instance_id = r.instance_id AND c.variable = g.variable
      LEFT JOIN (${stored}) AS s ON s.name = g.variable
      GROUP BY g.name, r.instance_id
    ) AS replies
    GROUP BY name ORDER BY name`;
}

const COUNTED = counted(STORED);
const COUNTED_IN_ENVIRONMENTS = counted(Prisma.sql`SELECT NULL::text AS name WHERE false`);

const countRows = z.array(
  z.object({ name: z.string(), setIn: z.int(), missingIn: z.int(), unknownIn: z.int() }),
);
const variableRows = z.array(z.object({ instanceId: z.string(), variable: z.string() }));
const replyRows = z.array(z.object({ variable: z.string(), id: z.string(), set: z.boolean().nullable() }));
const openRows = z.tuple([z.object({ open: z.boolean() })]);

/** Alternatives: a data plane needs one of these variables. */
export interface CredentialGroup {
  name: string;
  variables: readonly string[];
}

/**
 * Stores which data planes have which credential variables. A reply stays true while the process lives,
 * because its environment does not change. Stored credentials count as set everywhere.
 */
export class CredentialStore extends PrismaStore {
  /** Marks these variables as unanswered by all running data planes, and wakes the feeds, which ask them. */
  async ask(variables: readonly string[]): Promise<void> {
    await this.prisma.$executeRaw`
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
   * Marks the catalog's credentials as unanswered by these data planes, unless known.
   * @returns unanswered variables by data plane
   */
  async unanswered(instanceIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = await this.query(variableRows)`
      WITH asked AS (
        INSERT INTO data_plane_credentials (instance_id, variable)
        SELECT DISTINCT given.instance_id, n.variable
        FROM unnest(${[...instanceIds]}::text[]) AS given (instance_id)
        CROSS JOIN (SELECT variable FROM (${NEEDED}) AS needed UNION ${STORED}) AS n
        WHERE NOT EXISTS (
          SELECT FROM data_plane_credentials AS c
          WHERE c.instance_id = given.instance_id AND c.variable = n.variable
        )
        ORDER BY 1, 2
        ON CONFLICT DO NOTHING
        RETURNING instance_id, variable
      )
      SELECT instance_id AS "instanceId", variable FROM asked
      UNION ALL
      SELECT instance_id, variable FROM data_plane_credentials
      WHERE instance_id = ANY(${[...instanceIds]}::text[]) AND is_set IS NULL`;
    return variablesByInstance(rows);
  }

  async answer(
    instanceId: string,
    { set, missing }: { set: readonly string[]; missing: readonly string[] },
  ): Promise<void> {
    await this.prisma.$executeRaw`
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

  /** Returns true while a running data plane has not replied about one of these variables. */
  async isOpen(variables: readonly string[]): Promise<boolean> {
    const [{ open }] = await this.query(openRows)`
      WITH running AS (${RUNNING})
      SELECT EXISTS (
        SELECT FROM data_plane_credentials AS c JOIN running AS r USING (instance_id)
        WHERE c.is_set IS NULL AND c.variable = ANY(${[...variables]}::text[])
      ) AS open`;
    return open;
  }

  /**
   * Counts, for each group, the data planes that have one of its variables, lack all, or have not replied.
   */
  async counts(groups: readonly CredentialGroup[]): Promise<Map<string, CredentialCounts>> {
    return await this.#count(groups, COUNTED);
  }

  /** Counts, for each variable, the data planes whose environment has it. Ignores stored credentials. */
  async countsInEnvironments(variables: readonly string[]): Promise<Map<string, CredentialCounts>> {
    const groups = variables.map((variable) => ({ name: variable, variables: [variable] }));
    return await this.#count(groups, COUNTED_IN_ENVIRONMENTS);
  }

  /** Returns what each running data plane replied about these variables; null: no reply yet. */
  async replies(variables: readonly string[]): Promise<Map<string, { id: string; set: boolean | null }[]>> {
    const rows = await this.query(replyRows)`
      WITH running AS (${RUNNING})
      SELECT given.variable, r.instance_id AS id, c.is_set AS set
      FROM unnest(${[...variables]}::text[]) AS given (variable) CROSS JOIN running AS r
      LEFT JOIN data_plane_credentials AS c ON c.instance_id = r.instance_id AND c.variable = given.variable
      ORDER BY 1, 2`;
    return Map.groupBy(rows, ({ variable }) => variable);
  }

  async #count(
    groups: readonly CredentialGroup[],
    select: Prisma.Sql,
  ): Promise<Map<string, CredentialCounts>> {
    const rows = groups.flatMap(({ name, variables }) => variables.map((variable) => ({ name, variable })));
    return byName(
      await this.prisma.$queryRaw`
        WITH running AS (${RUNNING}), given AS (
          SELECT * FROM unnest(
            ${rows.map(({ name }) => name)}::text[], ${rows.map(({ variable }) => variable)}::text[]
          ) AS given (name, variable)
        )
        ${select}`,
    );
  }

  /** Returns these counts for every provider in force with credentials, by id. */
  async ofProviders(): Promise<Map<string, CredentialCounts>> {
    return byName(
      await this.prisma.$queryRaw`
        WITH running AS (${RUNNING}), given AS (
          SELECT provider_id AS name, variable FROM (${NEEDED}) AS needed
        )
        ${COUNTED}`,
    );
  }

  /** Returns the credentials of the catalog in force that each data plane lacks. */
  async missing(): Promise<Map<string, string[]>> {
    const rows = await this.query(variableRows)`
      SELECT instance_id AS "instanceId", variable FROM data_plane_credentials
      WHERE NOT is_set AND variable IN (SELECT variable FROM (${NEEDED}) AS needed EXCEPT ${STORED})
      ORDER BY 1, 2`;
    return variablesByInstance(rows);
  }

  /** Deletes replies of forgotten data planes. */
  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM data_plane_credentials AS c
      WHERE NOT EXISTS (SELECT FROM key_watchers AS w WHERE w.instance_id = c.instance_id)`;
  }
}

function byName(rows: unknown): Map<string, CredentialCounts> {
  return new Map(countRows.parse(rows).map(({ name, ...counts }) => [name, counts]));
}

function variablesByInstance(rows: z.infer<typeof variableRows>): Map<string, string[]> {
  const byInstance = new Map<string, string[]>();
  for (const { instanceId, variable } of rows) {
    byInstance.set(instanceId, [...(byInstance.get(instanceId) ?? []), variable]);
  }
  return byInstance;
}
