import { EVENT_TITLES, type WebhookBody } from '@model-gateway/shared/events';
import type { ClaimedDelivery } from './stored-delivery.ts';

type SentEvent = Pick<ClaimedDelivery, 'createdAt' | 'data' | 'format' | 'type'>;

/** Lines of a text of Slack. */
const MAX_LINES = 25;
const MAX_VALUE = 200;

const TITLES: Readonly<Record<string, string>> = {
  ...EVENT_TITLES,
  'webhook.test': 'This is a test of a webhook',
  'webhook.failing': 'A webhook fails',
};

/** Returns a sentence about an event, for people. */
function titleOf(type: string): string {
  return TITLES[type] ?? type;
}

/** Returns the body of a delivery; the same for each attempt. */
export function webhookBody({ createdAt, data, format, type }: SentEvent): string {
  if (format === 'slack') return JSON.stringify({ text: slackText(type, data) });
  const body: WebhookBody = { type, timestamp: createdAt.toISOString(), data };
  return JSON.stringify(body);
}

/** Returns a title, and a line for each plain member. */
function slackText(type: string, data: Record<string, unknown>): string {
  const lines = plainMembers(data).map(([name, value]) => `• ${name}: ${escapeSlack(value)}`);
  return [`*${escapeSlack(titleOf(type))}* (${type})`, ...lines.slice(0, MAX_LINES)].join('\n');
}

/** Returns the members of an event that are text, numbers or truth values, for people. */
function plainMembers(data: Record<string, unknown>): [string, string][] {
  return Object.entries(data).flatMap(([name, value]): [string, string][] =>
    ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value).slice(0, MAX_VALUE)]] : [],
  );
}

/** Escapes the characters that Slack treats as markup of links and mentions. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
