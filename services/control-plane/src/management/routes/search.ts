import { z } from 'zod';
import { searchObjects } from '../../search/search-objects.ts';
import { SEARCHED_KINDS } from '../../search/search-store.ts';
import { queryText } from '../query-values.ts';
import { route } from '../route.ts';

const found = z
  .object({
    object: z.literal('search_result'),
    kind: z.enum(SEARCHED_KINDS),
    id: z.string(),
    label: z.string().describe('Its name or address; of a request its model.'),
    account: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  })
  .meta({ id: 'SearchResult' });

export const searchRoutes = [
  route({
    method: 'GET',
    path: '/admin/v1/search',
    operationId: 'search',
    tag: 'Search',
    summary: 'Find objects of all accounts',
    description:
      'By a whole id, external id or id of a request, or by the beginning of a name, an e-mail address, an id of ' +
      'an end user or the prefix of a key. Returns at most 20 objects.',
    scope: 'accounts:read',
    isInstallationWide: true,
    query: z.object({ q: queryText.describe('Never send a whole key: its first 16 characters find it.') }),
    response: z.object({ object: z.literal('list'), data: z.array(found) }).meta({ id: 'SearchResultList' }),
    async handle(context, { query, signal }) {
      const objects = await searchObjects(context, query.q, signal);
      const data = objects.map(({ kind, id, label, accountId, accountEmail, accountName }) => ({
        ...{ object: 'search_result' as const, kind, id, label },
        account: { id: accountId, name: accountName, email: accountEmail },
      }));
      return { object: 'list' as const, data };
    },
  }),
];
