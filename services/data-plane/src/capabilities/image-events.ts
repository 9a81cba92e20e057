import type { Usage } from '../request-record.ts';
import { type TypedEvent, TypedEvents } from './typed-events.ts';

export interface ImageEventsOptions {
  /** What so many images come to. @param reported the `usage` of each event that had one */
  usage(images: number, reported: readonly unknown[]): Usage;
  /** Whether an image of which a part was delivered counts as one that came. */
  countsPartials(): boolean;
}

/** The events of a stream of images, counted as they pass. */
export class ImageEvents extends TypedEvents {
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
