import { type Mail, paragraphs, quoted } from '@model-gateway/mail';
import type { MailedEvent } from './delivery-worker.ts';
import { plainMembers, titleOf } from './webhook-body.ts';

export interface EventMailSettings {
  productName: string;
  /** URL of the dashboard; undefined: the mail has no link. */
  publicUrl: string | undefined;
}

/** Returns the mail that reports an event. */
export function eventMail(
  to: string,
  { createdAt, data, type }: MailedEvent,
  { productName, publicUrl }: EventMailSettings,
): Mail {
  const title = titleOf(type);
  const members = plainMembers(data).map(([name, value]) => `${name}: ${quoted(value)}`);
  const link = publicUrl === undefined ? [] : [`The dashboard shows more: ${publicUrl}`];
  return {
    to,
    subject: `${productName}: ${title}`,
    text: paragraphs(`${title} (${type}, ${createdAt.toISOString()}).`, members.join('\n'), ...link),
  };
}
