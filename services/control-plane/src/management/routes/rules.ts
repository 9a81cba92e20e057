import { rulesReport, rules as rulesSchema } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { findRulesOwner, type RulesOwner } from '../../owned-rules/rules-owner.ts';
import { getRules, setRules } from '../../owned-rules/set-rules.ts';
import { rulesResource } from '../../rules/rules-change.ts';
import { invalidField } from '../errors/request-errors.ts';
import { requireOwn } from '../own-account.ts';
import { route } from '../route.ts';

const KINDS = ['account', 'team', 'seat', 'key', 'end_users', 'end_user'] as const;
const kind = z.enum(KINDS);
const report = rulesReport.meta({ id: 'RulesReport' });
const PATH = '/admin/v1/rules/:kind/:id';
const DESCRIPTION =
  `\`kind\` is one of ${KINDS.join(', ')}. \`id\` is that of the object; of \`end_users\` it is the account. ` +
  'For `end_user` it is the end user, and `account_id` names the account.';
const query = z.object({
  account_id: z.string().optional().describe('Account of an end user. Absent: that of the admin key.'),
});

export const rulesRoutes = [
  route({
    method: 'GET',
    path: PATH,
    operationId: 'getRules',
    tag: 'Rules',
    summary: 'Get rules',
    description: `${DESCRIPTION} \`effective\` is the intersection of all levels, and \`from\` says which one decided.`,
    scope: 'rules:read',
    query,
    response: report,
    async handle(context, { actor, params, query, setEtagOf }) {
      const owner = ownerOf(actor, params, query.account_id);
      const found = await requireVisible(context, actor, owner);
      const stored = await context.rulesStore.read([found.text]);
      setEtagOf(rulesResource(stored.get(found.text)));
      return await getRules(context, owner);
    },
  }),
  route({
    method: 'PUT',
    path: PATH,
    operationId: 'setRules',
    tag: 'Rules',
    summary: 'Replace rules',
    description: `${DESCRIPTION} Members that you leave out get their default: no restriction.`,
    scope: 'rules:write',
    query,
    body: rulesSchema,
    response: report,
    async handle(context, { actor, body, noteUnconfirmed, params, query, setEtagOf }) {
      const owner = ownerOf(actor, params, query.account_id);
      const found = await requireVisible(context, actor, owner);
      const { report: shown, unconfirmed } = await setRules(context, actor, {
        owner,
        rulesJson: JSON.stringify(body),
      });
      noteUnconfirmed(unconfirmed);
      const stored = await context.rulesStore.read([found.text]);
      setEtagOf(rulesResource(stored.get(found.text)));
      return shown;
    },
  }),
];

interface OwnerMessage {
  kind: (typeof KINDS)[number];
  id: string;
  endUser: string;
}

/** @throws ManagementError 400 */
function ownerOf(
  actor: ManagementActor,
  { id, kind: given }: { id: string; kind: string },
  accountId = actor.accountId,
): OwnerMessage {
  const parsed = kind.safeParse(given);
  if (!parsed.success) throw invalidField('kind', `must be one of ${KINDS.join(', ')}`);
  if (parsed.data !== 'end_user') return { kind: parsed.data, id, endUser: '' };
  if (accountId === undefined) throw invalidField('account_id', 'is required for rules of an end user');
  return { kind: parsed.data, id: accountId, endUser: id };
}

/** @throws ControlPlaneError not_found, invalid_argument */
async function requireVisible(
  context: ControlPlaneContext,
  actor: ManagementActor,
  message: OwnerMessage,
): Promise<RulesOwner> {
  const owner = await findRulesOwner(context, message);
  // A seat belongs to the account that holds it and to the owner of its team, who alone may cap it.
  const isTeams = message.kind === 'seat' || message.kind === 'team';
  const accountId = isTeams ? (owner.teamAccountId ?? owner.accountId) : owner.accountId;
  requireOwn(actor, accountId, `${message.kind} ${message.endUser === '' ? message.id : message.endUser}`);
  return owner;
}
