import { EVENT_TYPES } from '@model-gateway/shared/events';
import { z } from 'zod';
import { webhookFor } from '../../events/masked-url.ts';
import { timestamp } from '../../timestamps.ts';
import { deliveryResource, deliveryResourceSchema } from '../../webhooks/delivery-resource.ts';
import { listDeliveries } from '../../webhooks/list-deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  redeliver,
  removeWebhook,
  requireWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '../../webhooks/manage-webhooks.ts';
import { DELIVERY_STATES } from '../../webhooks/stored-delivery.ts';
import { WEBHOOK_FORMATS } from '../../webhooks/stored-webhook.ts';
import { webhookResource, webhookResourceSchema } from '../../webhooks/webhook-resource.ts';
import { newWebhookSecret } from '../../webhooks/webhook-secrets.ts';
import {
  deleted,
  deletedResponse,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
  pageWith,
} from '../list-response.ts';
import { listedAccount } from '../own-account.ts';
import { queryText } from '../query-values.ts';
import { route } from '../route.ts';
import { time } from '../times.ts';

const webhook = webhookResourceSchema.meta({ id: 'Webhook' });
const secret = z.string().describe('Signs its deliveries (Standard Webhooks). It is sent only once.');
const newWebhook = webhook.extend({ secret }).meta({ id: 'NewWebhook' });
const rotatedWebhook = newWebhook
  .extend({ previous_secret_expires_at: timestamp.describe('Until then both secrets sign.') })
  .meta({ id: 'RotatedWebhook' });
const delivery = deliveryResourceSchema.meta({ id: 'WebhookDelivery' });
const event = z
  .object({
    object: z.literal('event'),
    id: z.string(),
    type: z.string(),
    account_id: z.string().nullable().describe('Null: it concerns the installation.'),
    timestamp,
    data: z.looseObject({}),
  })
  .meta({ id: 'Event' });

const members = {
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)).min(1),
  format: z.enum(WEBHOOK_FORMATS),
  description: z.string(),
};
const common = { tag: 'Webhooks' } as const;

export const webhookRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/webhooks',
    operationId: 'createWebhook',
    summary: 'Add a webhook',
    description: 'Without `account_id` it gets the events of the installation and of all accounts.',
    scope: 'events:write',
    body: z.object({
      ...members,
      format: members.format.optional(),
      description: members.description.optional(),
      account_id: z.string().optional(),
    }),
    response: newWebhook,
    secret: 'secret',
    async handle(context, { actor, body: { account_id: account, ...body }, respondWith }) {
      const given = newWebhookSecret();
      respondWith((after) => ({ ...after, secret: given }));
      const created = await createWebhook(context, actor, { ...body, account, secret: given });
      return { ...webhookResource(created.webhook), secret: given };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    scope: 'events:read',
    query: z.object({ ...listParameters, account_id: z.string().optional() }),
    response: listResponse(webhook, 'WebhookList'),
    async handle({ webhookStore }, { actor, query }) {
      const page = listQueryOf(query);
      const accountId = listedAccount(actor, query.account_id);
      return pageOf(await webhookStore.list(accountId, page), page, (each) =>
        webhookResource(webhookFor(actor, each)),
      );
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/webhooks/:id',
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    scope: 'events:read',
    isResource: true,
    response: webhook,
    handle: async (context, { actor, params }) =>
      webhookResource(webhookFor(actor, await requireWebhook(context, actor.accountId, params.id))),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/webhooks/:id',
    operationId: 'changeWebhook',
    summary: 'Change a webhook',
    description: 'While it is disabled, its events are stored, but not sent: redeliver them afterwards.',
    scope: 'events:write',
    isResource: true,
    body: z.object({ ...members, enabled: z.boolean() }).partial(),
    response: webhook,
    handle: async (context, { actor, body, params }) =>
      webhookResource(await changeWebhook(context, actor, { ...body, id: params.id })),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/admin/v1/webhooks/:id',
    operationId: 'removeWebhook',
    summary: 'Remove a webhook',
    scope: 'events:write',
    response: deletedResponse('webhook'),
    async handle(context, { actor, params }) {
      const { id } = await removeWebhook(context, actor, params.id);
      return deleted('webhook', id);
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/webhooks/:id/rotate_secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description: 'For 24 hours, deliveries have a signature of each of the two secrets.',
    scope: 'events:write',
    body: z.object({}),
    response: rotatedWebhook,
    secret: 'secret',
    async handle(context, { actor, params, respondWith }) {
      const given = newWebhookSecret();
      respondWith((after) => ({ ...after, secret: given }));
      const rotated = await rotateWebhookSecret(context, actor, params.id, given);
      const previous = { previous_secret_expires_at: rotated.previousExpiresAt.toISOString() };
      return { ...webhookResource(rotated.webhook), ...previous, secret: given };
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/webhooks/:id/test',
    operationId: 'testWebhook',
    summary: 'Test a webhook',
    description: 'Sends an event of the type `webhook.test` once. Answers after 8 s even without a response.',
    scope: 'events:write',
    body: z.object({}),
    response: delivery,
    handle: async (context, { actor, params }) =>
      deliveryResource(await testWebhook(context, actor, params.id)),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/webhooks/:id/redeliver',
    operationId: 'redeliverWebhook',
    summary: 'Deliver events again',
    description: 'One event, or all since a time, whether they were delivered or not. At most 100,000.',
    scope: 'events:write',
    body: z.object({ event_id: z.string().optional(), since: time.optional() }),
    response: z
      .object({ object: z.literal('webhook_redelivery'), count: z.int() })
      .meta({ id: 'WebhookRedelivery' }),
    async handle(context, { actor, body, params }) {
      const request = { eventId: body.event_id, since: body.since };
      const count = await redeliver(context, actor, params.id, request);
      return { object: 'webhook_redelivery' as const, count };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'Those of the last 30 days.',
    scope: 'events:read',
    query: z.object({ ...listParameters, state: z.enum(DELIVERY_STATES).optional() }),
    response: listResponse(delivery, 'WebhookDeliveryList'),
    async handle(context, { actor, params: { id }, query: { cursor, limit, state }, signal }) {
      await requireWebhook(context, actor.accountId, id);
      const request = { id, limit, pageToken: cursor, state };
      const { nextPageToken, rows } = await listDeliveries(context, request, signal);
      return pageWith(rows.map(deliveryResource), nextPageToken);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/webhooks/:id/events',
    operationId: 'pullWebhookEvents',
    summary: 'Pull events of a webhook',
    description:
      'Lists the events of the last 30 days, oldest first, also while the webhook is disabled. Pass the `id` ' +
      'of the last event that you have as `after`: no event is skipped, however late its change commits.',
    scope: 'events:read',
    query: z.object({
      limit: listParameters.limit,
      after: queryText.optional().describe('Id of an event. Absent: the page begins with the oldest event.'),
    }),
    response: z
      .object({ object: z.literal('list'), data: z.array(event), has_more: z.boolean() })
      .meta({ id: 'EventList' }),
    async handle({ deliveryHistoryStore, ...context }, { actor, params, query: { after, limit }, signal }) {
      await requireWebhook(context, actor.accountId, params.id);
      const rows = await deliveryHistoryStore.pull({ webhookId: params.id, after, limit }, signal);
      const data = rows.slice(0, limit).map(({ accountId, createdAt, data: content, id, type }) => ({
        object: 'event' as const,
        ...{ id, type, data: content },
        account_id: accountId,
        timestamp: createdAt.toISOString(),
      }));
      return { object: 'list' as const, data, has_more: rows.length > limit };
    },
  }),
];
