import { type AccountSettings, setCalendarRequest, setMailsRequest } from '../../wire/account-settings.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function accountSettingsRoutes(): ApiRoute[] {
  return [
    holderRoute('GET', '/api/account/settings', async ({ res, accountId, reads }) => {
      const { endUsers, thresholdMails, timezone, weekStarts } = await reads.getHolderSettings({ accountId });
      const response: AccountSettings = { endUsers, thresholdMails, timezone, weekStarts };
      res.json(response);
    }),
    holderRoute('POST', '/api/account/calendar', async ({ res, changes, body }) => {
      await changes.setHolderCalendar(parseRequest(setCalendarRequest, body));
      res.status(204).end();
    }),
    holderRoute('POST', '/api/account/mails', async ({ res, changes, body }) => {
      await changes.setHolderMails(parseRequest(setMailsRequest, body));
      res.status(204).end();
    }),
  ];
}
