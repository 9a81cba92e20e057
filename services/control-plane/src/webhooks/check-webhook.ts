import { EVENT_TYPES, type EventType, INSTALLATION_EVENT_TYPES } from '@model-gateway/shared/events';
import { parseEmail } from '../accounts/email-address.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { RefusedReceiver } from './receiver-addresses.ts';
import type { WebhookSender } from './send-webhook.ts';
import { MAIL_URL } from './stored-delivery.ts';
import { type StoredWebhook, WEBHOOK_FORMATS } from './stored-webhook.ts';
import type { WebhookChanges } from './webhook-store.ts';

const MAX_URL = 2_000;
const MAX_DESCRIPTION = 500;

/** Members of a webhook as requests send them; absent ones stay unchanged. */
export interface WebhookRequest {
  url?: string | undefined;
  events?: readonly string[] | undefined;
  format?: string | undefined;
  description?: string | undefined;
  enabled?: boolean | undefined;
}

export interface UrlChecks extends Pick<WebhookSender, 'requireLiteral'> {
  /** True if a mail server is set. */
  sendsMail: boolean;
}

/** @param accountId of the webhook; null: the installation @throws ControlPlaneError invalid_argument */
export function checkWebhook(
  sender: UrlChecks,
  accountId: string | null,
  { description, enabled, events, format, url }: WebhookRequest,
): WebhookChanges {
  return {
    ...(url !== undefined && { url: checkUrl(sender, accountId, url) }),
    ...(events !== undefined && { events: checkEvents(accountId, events) }),
    ...(format !== undefined && { format: checkFormat(format) }),
    ...(description !== undefined && { description: checkDescription(description) }),
    ...(enabled !== undefined && { enabled }),
  };
}

function checkUrl(checks: UrlChecks, accountId: string | null, text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === MAIL_URL) return checkMailUrl(checks, accountId, url);
  if (url === null || !/^https?:$/.test(url.protocol) || text.length > MAX_URL)
    throw invalidArgument('url: must be an https: URL, such as https://example.com/webhooks');
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalidArgument('url: must have neither user and password nor a fragment');
  try {
    checks.requireLiteral(url);
  } catch (error) {
    if (error instanceof RefusedReceiver) throw invalidArgument(`url: ${error.message}`);
    throw error;
  }
  return url.href;
}

/** Accounts have mail of their own: with such a URL, anybody could have mail sent to anybody. */
function checkMailUrl({ sendsMail }: UrlChecks, accountId: string | null, url: URL): string {
  if (accountId !== null)
    throw invalidArgument('url: only webhooks of the installation may have a mailto: URL');
  if (!sendsMail) throw invalidArgument('url: a mailto: URL needs SMTP_URL at the control plane');
  const address = parseEmail(decoded(url.pathname));
  if (address === undefined || url.search !== '')
    throw invalidArgument('url: must name one address, such as mailto:ops@example.com');
  return `${MAIL_URL}${address}`;
}

/** @returns an empty text if it cannot be decoded */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return '';
  }
}

function checkEvents(accountId: string | null, given: readonly string[]): EventType[] {
  const types = [...new Set(given)];
  if (types.length === 0) throw invalidArgument('events: name at least one type');
  return types.map((type) => {
    const known = EVENT_TYPES.find((each) => each === type);
    if (known === undefined)
      throw invalidArgument(`events: there is no type ${type}; the types are ${EVENT_TYPES.join(', ')}`);
    if (accountId !== null && INSTALLATION_EVENT_TYPES.includes(known))
      throw invalidArgument(`events: ${type} concerns the installation, not an account: leave it out`);
    return known;
  });
}

function checkFormat(format: string): StoredWebhook['format'] {
  const known = WEBHOOK_FORMATS.find((each) => each === format);
  if (known === undefined) throw invalidArgument(`format: must be ${WEBHOOK_FORMATS.join(' or ')}`);
  return known;
}

function checkDescription(text: string): string {
  if (text.length > MAX_DESCRIPTION)
    throw invalidArgument(`description: must have at most ${MAX_DESCRIPTION} characters`);
  return text;
}
