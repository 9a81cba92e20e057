import { type AccountSettings, setCalendarRequest } from '../../wire/account-settings.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function accountSettingsRoutes(): ApiRoute[] {
  return [
    holderRoute('viewer', 'GET', '/api/account/settings', async ({ res, accountId, reads }) => {
      const { timezone, weekStarts, endUsers } = await reads.getHolderSettings({ accountId });
      const response: AccountSettings = { timezone, weekStarts, endUsers };
      res.json(response);
    }),
    holderRoute('admin', 'POST', '/api/account/calendar', async ({ res, changes, body }) => {
      await changes.setHolderCalendar(parseRequest(setCalendarRequest, body));
      res.status(204).end();
    }),
  ];
}
