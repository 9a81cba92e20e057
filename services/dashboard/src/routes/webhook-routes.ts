import {
  changeWebhookRequest,
  createWebhookRequest,
  type DeliveriesResponse,
  deliveriesQuery,
  type NewWebhookResponse,
  redeliverWebhookRequest,
  type WebhooksResponse,
} from '../../wire/webhooks.ts';
import { parseRequest } from '../http/parse-request.ts';
import { toDelivery, toWebhook } from '../webhooks/to-webhook.ts';
import { type ApiRoute, type HolderExchange, holderRoute, pathParameter } from './api-route.ts';

const PAGE_LENGTH = 50;

/** Webhooks of the account, in the form of the management API. */
export function webhookRoutes(): ApiRoute[] {
  const idOf = ({ req }: HolderExchange) => pathParameter(req, 'webhookId');
  return [
    holderRoute('admin', 'GET', '/api/webhooks', async ({ res, reads }) => {
      const { webhooks } = await reads.listHolderWebhooks({});
      const response: WebhooksResponse = { data: webhooks.map(toWebhook) };
      res.json(response);
    }),

    holderRoute(
      'admin',
      'POST',
      '/api/webhooks',
      async ({ res, changes, body }) => {
        const created = await changes.createHolderWebhook(parseRequest(createWebhookRequest, body));
        res.status(201).json(newWebhook(created));
      },
      { needsProof: true },
    ),

    holderRoute('admin', 'POST', '/api/webhooks/:webhookId', async (exchange) => {
      const change = parseRequest(changeWebhookRequest, exchange.body);
      const settings = 'enabled' in change ? change : { ...change, events: { types: change.events } };
      const webhook = await exchange.changes.changeHolderWebhook({ ...settings, id: idOf(exchange) });
      exchange.res.json(toWebhook(webhook));
    }),

    holderRoute('admin', 'POST', '/api/webhooks/:webhookId/remove', async (exchange) => {
      await exchange.changes.removeHolderWebhook({ id: idOf(exchange) });
      exchange.res.status(204).end();
    }),

    holderRoute(
      'admin',
      'POST',
      '/api/webhooks/:webhookId/rotate',
      async (exchange) => {
        const rotated = await exchange.changes.rotateHolderWebhookSecret({ id: idOf(exchange) });
        exchange.res.json(newWebhook(rotated));
      },
      { needsProof: true },
    ),

    holderRoute('admin', 'POST', '/api/webhooks/:webhookId/test', async (exchange) => {
      const delivery = await exchange.changes.testHolderWebhook({ id: idOf(exchange) });
      exchange.res.json(toDelivery(delivery, exchange.accountId));
    }),

    holderRoute('admin', 'POST', '/api/webhooks/:webhookId/redeliver', async (exchange) => {
      const request = parseRequest(redeliverWebhookRequest, exchange.body);
      const what = 'eventId' in request ? { eventId: request.eventId } : { sinceMs: String(request.sinceMs) };
      const { count } = await exchange.changes.redeliverHolderWebhook({ ...what, id: idOf(exchange) });
      exchange.res.json({ count });
    }),

    holderRoute('admin', 'GET', '/api/webhooks/:webhookId/deliveries', async (exchange) => {
      const { cursor, state } = parseRequest(deliveriesQuery, exchange.req.query);
      const { deliveries, nextPageToken } = await exchange.reads.listHolderWebhookDeliveries({
        id: idOf(exchange),
        limit: PAGE_LENGTH,
        ...(cursor !== undefined && { pageToken: cursor }),
        ...(state !== undefined && { state }),
      });
      const response: DeliveriesResponse = {
        data: deliveries.map((delivery) => toDelivery(delivery, exchange.accountId)),
        next_cursor: nextPageToken ?? null,
      };
      exchange.res.json(response);
    }),
  ];
}

type NewWebhook = Awaited<ReturnType<HolderExchange['changes']['createHolderWebhook']>>;

function newWebhook({ secret, webhook }: NewWebhook): NewWebhookResponse {
  if (webhook === null) throw new Error('the control plane answered without a webhook');
  return { ...toWebhook(webhook), secret };
}
