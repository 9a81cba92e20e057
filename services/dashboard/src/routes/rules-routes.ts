import {
  changedRulesQuery,
  type RulesOwnerQuery,
  rulesOwnerQuery,
  type SaveRulesResponse,
  saveRulesRequest,
} from '../../wire/rules.ts';
import { parseRequest } from '../http/parse-request.ts';
import { toReport } from '../rules/to-report.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

const MAX_RULES_BYTES = 256 * 1024;

export function rulesRoutes(): ApiRoute[] {
  return [
    holderRoute('developer', 'GET', '/api/rules', async ({ req, res, accountId, reads }) => {
      const owner = rulesOwner(accountId, parseRequest(rulesOwnerQuery, req.query));
      res.json(toReport(await reads.getHolderRules({ accountId, owner })));
    }),
    holderRoute(
      'developer',
      'POST',
      '/api/rules',
      async ({ req, res, accountId, changes, body }) => {
        const owner = rulesOwner(accountId, parseRequest(changedRulesQuery, req.query));
        const { rules } = parseRequest(saveRulesRequest, body);
        const saved = await changes.setHolderRules({ owner, rulesJson: JSON.stringify(rules) });
        const response: SaveRulesResponse = { appliedEverywhere: saved.unconfirmedInstances.length === 0 };
        res.json(response);
      },
      { maxBodyBytes: MAX_RULES_BYTES },
    ),
  ];
}

function rulesOwner(accountId: string, { kind, id, endUser }: RulesOwnerQuery) {
  const isOfAccount = kind === 'account' || kind === 'end_users' || kind === 'end_user';
  return { kind, id: isOfAccount ? accountId : (id ?? ''), ...(endUser === undefined ? {} : { endUser }) };
}
