/** In pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** @returns undefined for anything but the form `1024x1024` */
export function parseImageSize(size: string): ImageSize | undefined {
  const [, width, height] = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size) ?? [];
  return width === undefined || height === undefined
    ? undefined
    : { width: Number(width), height: Number(height) };
}

/** Returns the ratio in lowest terms: `3:2`. */
export function aspectRatio({ height, width }: ImageSize): string {
  const divisor = greatestDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
