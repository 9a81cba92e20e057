import type { DashboardServiceHandlers, WebhookServiceHandlers } from '@model-gateway/contracts';
import type { HolderRpc } from '../access/rpc-access.ts';
import type { ControlPlaneContext } from '../context.ts';
import { webhookFor } from '../events/masked-url.ts';
import { type DeliveriesRequest, listDeliveries } from '../webhooks/list-deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  redeliver,
  removeWebhook,
  requireWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '../webhooks/manage-webhooks.ts';
import { deliveryMessage, newWebhookMessage, webhookMessage } from '../webhooks/webhook-message.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { change, holderRead, read } from './unary.ts';

export function webhookService(context: ControlPlaneContext): MethodsOf<WebhookServiceHandlers> {
  return {
    CreateWebhook: change(context, 'CreateWebhook', 'operator', async (actor, request) =>
      newWebhookMessage(await createWebhook(context, actor, request)),
    ),
    ListWebhooks: read(context, 'ListWebhooks', async (_, { account, ...page }) => {
      const accountId = account === undefined ? undefined : (await context.accountStore.require(account)).id;
      const { next, rows } = await listWebhooks(context, { ...page, accountId });
      return { webhooks: rows.map(webhookMessage), ...next };
    }),
    GetWebhook: read(context, 'GetWebhook', async (_, { id }) =>
      webhookMessage(await requireWebhook(context, undefined, id)),
    ),
    ChangeWebhook: change(context, 'ChangeWebhook', 'operator', async (actor, { events, ...request }) =>
      webhookMessage(await changeWebhook(context, actor, { ...request, events: events?.types })),
    ),
    RemoveWebhook: change(context, 'RemoveWebhook', 'operator', async (actor, { id }) =>
      webhookMessage(await removeWebhook(context, actor, id)),
    ),
    RotateWebhookSecret: change(context, 'RotateWebhookSecret', 'operator', async (actor, { id }) =>
      newWebhookMessage(await rotateWebhookSecret(context, actor, id)),
    ),
    ListWebhookDeliveries: read(context, 'ListWebhookDeliveries', (_, request, signal) =>
      deliveriesMessage(context, undefined, request, signal),
    ),
    RedeliverWebhook: change(context, 'RedeliverWebhook', 'operator', async (actor, request) => ({
      count: await redeliver(context, actor, request.id, redeliveryOf(request)),
    })),
    TestWebhook: change(context, 'TestWebhook', 'operator', async (actor, { id }) =>
      deliveryMessage(await testWebhook(context, actor, id)),
    ),
  };
}

/** Methods of the dashboard for the webhooks of the account in which the user acts. */
export function holderWebhooks(
  context: ControlPlaneContext,
): Pick<MethodsOf<DashboardServiceHandlers>, Extract<HolderRpc, `${string}Webhook${string}`>> {
  return {
    CreateHolderWebhook: change(context, 'CreateHolderWebhook', 'user', async (actor, request) =>
      newWebhookMessage(await createWebhook(context, actor, request)),
    ),
    ListHolderWebhooks: holderRead(context, 'ListHolderWebhooks', async (actor, { limit, pageToken }) => {
      const { next, rows } = await listWebhooks(context, { limit, pageToken, accountId: actor.accountId });
      return { webhooks: rows.map((each) => webhookMessage(webhookFor(actor, each))), ...next };
    }),
    ChangeHolderWebhook: change(
      context,
      'ChangeHolderWebhook',
      'user',
      async (actor, { events, ...request }) =>
        webhookMessage(await changeWebhook(context, actor, { ...request, events: events?.types })),
    ),
    RemoveHolderWebhook: change(context, 'RemoveHolderWebhook', 'user', async (actor, { id }) =>
      webhookMessage(await removeWebhook(context, actor, id)),
    ),
    RotateHolderWebhookSecret: change(context, 'RotateHolderWebhookSecret', 'user', async (actor, { id }) =>
      newWebhookMessage(await rotateWebhookSecret(context, actor, id)),
    ),
    ListHolderWebhookDeliveries: holderRead(
      context,
      'ListHolderWebhookDeliveries',
      ({ accountId }, request, signal) => deliveriesMessage(context, accountId, request, signal),
    ),
    RedeliverHolderWebhook: change(context, 'RedeliverHolderWebhook', 'user', async (actor, request) => ({
      count: await redeliver(context, actor, request.id, redeliveryOf(request)),
    })),
    TestHolderWebhook: change(context, 'TestHolderWebhook', 'user', async (actor, { id }) =>
      deliveryMessage(await testWebhook(context, actor, id)),
    ),
  };
}

async function deliveriesMessage(
  context: ControlPlaneContext,
  accountId: string | undefined,
  request: DeliveriesRequest,
  signal: AbortSignal,
) {
  await requireWebhook(context, accountId, request.id);
  const { rows, ...next } = await listDeliveries(context, request, signal);
  return { deliveries: rows.map(deliveryMessage), ...next };
}

function redeliveryOf({ eventId, sinceMs }: { eventId?: string | undefined; sinceMs?: string | undefined }) {
  return { eventId, since: sinceMs === undefined ? undefined : new Date(Number(sinceMs)) };
}
