import type { Usage } from '@model-gateway/dialects';
import { type TypedEvent, TypedEvents } from './typed-events.ts';

/** A picture of four megapixels that hardly compresses, in base64. */
const MAX_IMAGE_EVENT_BYTES = 16 * 1024 * 1024;

export interface ImageEventsOptions {
  /** Returns the usage of this many images. @param reported the `usage` of each event that had one */
  usage(images: number, reported: readonly unknown[]): Usage;
  /** Returns true if an image of which a part was delivered counts as one that came. */
  countsPartials(): boolean;
}

/** The events of a stream of images, counted as they pass. */
export class ImageEvents extends TypedEvents {
  readonly maxEventBytes = MAX_IMAGE_EVENT_BYTES;

  /** @param options asked when the count is wanted */
  constructor(options: ImageEventsOptions) {
    const reported: unknown[] = [];
    const partials = new Map<unknown, number>();
    let completed = 0;
    let begun = 0;
    const count = ({ type, usage, partial_image_index: index }: TypedEvent) => {
      if (type === 'image_generation.completed') {
        completed++;
        if (usage !== undefined && usage !== null) reported.push(usage);
      } else if (type === 'image_generation.partial_image') {
        // Several images may take turns: as many were begun as sent a part of the same number.
        const times = (partials.get(index) ?? 0) + 1;
        partials.set(index, times);
        begun = Math.max(begun, times);
      }
    };
    super({
      onEvent: count,
      usage: (complete) => {
        const images = complete || !options.countsPartials() ? completed : Math.max(completed, begun);
        return images === 0 ? undefined : options.usage(images, reported);
      },
    });
  }
}
