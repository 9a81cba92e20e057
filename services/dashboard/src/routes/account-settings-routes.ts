import { type AccountSettings, setCalendarRequest, setContentsRequest } from '../../wire/account-settings.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function accountSettingsRoutes(): ApiRoute[] {
  return [
    holderRoute('viewer', 'GET', '/api/account/settings', async ({ res, accountId, reads }) => {
      const { contents, timezone, weekStarts, endUsers } = await reads.getHolderSettings({ accountId });
      const response: AccountSettings = {
        ...{ timezone, weekStarts, endUsers },
        contents: contents && { days: contents.days, sinceMs: Number(contents.sinceMs) },
      };
      res.json(response);
    }),
    holderRoute('admin', 'POST', '/api/account/calendar', async ({ res, changes, body }) => {
      await changes.setHolderCalendar(parseRequest(setCalendarRequest, body));
      res.status(204).end();
    }),
    holderRoute(
      'owner',
      'POST',
      '/api/account/contents',
      async ({ res, changes, body }) => {
        const { days } = parseRequest(setContentsRequest, body);
        await changes.setHolderContents(days === null ? {} : { days });
        res.status(204).end();
      },
      { needsProof: true },
    ),
  ];
}
