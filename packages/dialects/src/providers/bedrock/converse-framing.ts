import type { EventFraming } from '../../interfaces/event-framing.ts';
import { awsEvents } from './aws-event-stream.ts';

/** The event type of exceptions. Bedrock's own types have no colon. */
export const EXCEPTION = ':exception';

/** Converts each message of ConverseStream to `{type: event}`. */
export const converseFraming: EventFraming = awsEvents({
  event: (type, json) => `{${JSON.stringify(type)}:${json}}`,
  exception: (exception) => JSON.stringify({ [EXCEPTION]: exception }),
});
