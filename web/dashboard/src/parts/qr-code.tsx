// A text as a QR code, for a phone.
import { create } from 'qrcode';
import type { ReactNode } from 'react';

interface QrCodeProps {
  readonly text: string;
  /** Its name, for people who hear the page. */
  readonly label: string;
  readonly className: string | undefined;
}

/** Black on white in both colour schemes, because some scanners read nothing else. */
export function QrCode({ text, label, className }: QrCodeProps): ReactNode {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const squares = Array.from(data, (isDark, at) =>
    isDark === 1 ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : '',
  ).join('');
  return (
    <svg
      {...(className !== undefined && { className })}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={squares} fill="#000000" />
    </svg>
  );
}
