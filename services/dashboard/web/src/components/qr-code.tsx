import { encode } from 'uqr';

const QUIET_ZONE = 2;

/** Draws a text as a QR code, black on white in both color schemes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const modules = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={200} height={200}>
      <rect width={size} height={size} fill="#fff" />
      <path d={modules.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
