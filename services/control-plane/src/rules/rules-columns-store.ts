import { Prisma } from '@model-gateway/database';

/**
 * Selects the rules and budgets of levels as the columns of `storedRules`.
 * @param owners SQL of a text[] of owners
 */
export function rulesColumns(owners: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    (
      SELECT jsonb_agg(jsonb_build_object('owner', l.owner, 'rules', l.rules))
      FROM rules l WHERE l.owner = ANY(${owners})
    ) AS rules,
    (
      SELECT jsonb_agg(
        jsonb_build_object('id', b.id, 'owner', b.owner, 'window', b.window, 'warns', b.warns)
        ORDER BY b.owner, b.position
      )
      FROM budgets b WHERE b.owner = ANY(${owners})
    ) AS budgets`;
}
