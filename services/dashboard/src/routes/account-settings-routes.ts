import {
  type AccountSettings,
  setCalendarRequest,
  setContentsRequest,
  setMailsRequest,
} from '../../wire/account-settings.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function accountSettingsRoutes(): ApiRoute[] {
  return [
    holderRoute('viewer', 'GET', '/api/account/settings', async ({ res, accountId, reads }) => {
      const { contents, ...settings } = await reads.getHolderSettings({ accountId });
      const { endUsers, thresholdMails, timezone, weekStarts } = settings;
      const response: AccountSettings = {
        ...{ endUsers, thresholdMails, timezone, weekStarts },
        contents: contents && { days: contents.days, sinceMs: Number(contents.sinceMs) },
      };
      res.json(response);
    }),
    holderRoute('admin', 'POST', '/api/account/calendar', async ({ res, changes, body }) => {
      await changes.setHolderCalendar(parseRequest(setCalendarRequest, body));
      res.status(204).end();
    }),
    holderRoute('admin', 'POST', '/api/account/mails', async ({ res, changes, body }) => {
      await changes.setHolderMails(parseRequest(setMailsRequest, body));
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
