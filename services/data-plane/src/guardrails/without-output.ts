import { type ChatApi, isObject, readEvents, writeEvent } from '@model-gateway/dialects';

/** Removes the output from the event of a failure, which repeats what was withheld. */
export function withoutOutput(api: ChatApi, events: string): string {
  if (api !== 'responses') return events;
  return readEvents(api, events)
    .map((event): string => {
      const { value } = event;
      if (!isObject(value?.response)) return event.raw;
      return writeEvent({ ...event, value: { ...value, response: { ...value.response, output: [] } } });
    })
    .join('');
}
