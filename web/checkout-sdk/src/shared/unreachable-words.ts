// The words for an unreachable checkout: in the frame, or on the shop's page if no frame loaded.

export interface UnreachableWords {
  readonly down: string;
  readonly downText: string;
  readonly tryAgain: string;
}

export const UNREACHABLE_WORDS = {
  en: {
    down: 'The checkout cannot be reached',
    downText: 'Check your connection and try again.',
    tryAgain: 'Try again',
  },
  de: {
    down: 'Die Kasse ist nicht erreichbar',
    downText: 'Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    tryAgain: 'Erneut versuchen',
  },
  fr: {
    down: 'Le paiement est injoignable',
    downText: 'Vérifiez votre connexion et réessayez.',
    tryAgain: 'Réessayer',
  },
  es: {
    down: 'No se puede acceder al pago',
    downText: 'Compruebe su conexión e inténtelo de nuevo.',
    tryAgain: 'Intentar de nuevo',
  },
  it: {
    down: 'Il pagamento non è raggiungibile',
    downText: 'Controlli la connessione e riprovi.',
    tryAgain: 'Riprova',
  },
} as const satisfies { readonly [language: string]: UnreachableWords };
