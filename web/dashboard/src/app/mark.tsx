// Counterfoil's mark: the stub of a receipt.
import type { ReactNode } from 'react';

export const Mark = ({ size = 24 }: { readonly size?: number }): ReactNode => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#2f52d9" />
    <path d="M8 8.5h16v15l-2.7-1.7-2.6 1.7-2.7-1.7-2.7 1.7-2.6-1.7L8 23.5z" fill="#fff" />
    <path d="M12 13h8M12 17h5" stroke="#2f52d9" strokeWidth="1.8" strokeLinecap="round" />
  </svg>
);
