import type { Usage } from '@model-gateway/dialects';
import { type EventsMeter, TypedEvents } from './typed-events.ts';

/** Room for a four-megapixel image that hardly compresses, in base64. */
const MAX_IMAGE_EVENT_BYTES = 16 * 1024 * 1024;

export interface ImageEventsOptions {
  /** Returns the usage of this many images. @param reported the `usage` of each event that had one */
  usage(images: number, reported: readonly unknown[]): Usage;
  /** Returns true if an image counts once a partial of it was delivered. */
  countsPartials(): boolean;
}

export class ImageEvents extends TypedEvents {
  readonly maxEventBytes = MAX_IMAGE_EVENT_BYTES;

  constructor(options: ImageEventsOptions) {
    super(() => createImageMeter(options));
  }
}

function createImageMeter({ countsPartials, usage: imageUsage }: ImageEventsOptions): EventsMeter {
  const reported: unknown[] = [];
  const partials = new Map<unknown, number>();
  let completed = 0;
  let begun = 0;
  return {
    onEvent: ({ type, usage, partial_image_index: index }) => {
      if (type === 'image_generation.completed' || type === 'image_edit.completed') {
        completed++;
        if (usage !== undefined && usage !== null) reported.push(usage);
      } else if (type === 'image_generation.partial_image' || type === 'image_edit.partial_image') {
        // Images may interleave: the number of images begun is the highest count of one partial index.
        const times = (partials.get(index) ?? 0) + 1;
        partials.set(index, times);
        begun = Math.max(begun, times);
      }
    },
    usage: (complete) => {
      const images = complete || !countsPartials() ? completed : Math.max(completed, begun);
      return images === 0 ? undefined : imageUsage(images, reported);
    },
  };
}
