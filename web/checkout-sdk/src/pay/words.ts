// What a customer reads on the page of a payment link, besides the words of the card frame.

export interface PayWords {
  readonly loading: string;
  readonly pay: (shop: string) => string;
  /** The title of a shop without a name. */
  readonly payment: string;
  readonly orderNumber: (id: string) => string;
  readonly payBy: (time: string) => string;
  readonly paid: string;
  readonly paidText: string;
  readonly closePage: string;
  readonly expired: string;
  readonly expiredText: string;
  readonly cancelled: string;
  readonly cancelledText: string;
  readonly unknown: string;
  readonly unknownText: string;
}

const en: PayWords = {
  loading: 'The payment page is loading',
  pay: (shop) => `Pay ${shop}`,
  payment: 'Your payment',
  orderNumber: (id) => `Order ${id}`,
  payBy: (time) => `Pay by ${time}`,
  paid: 'This is paid',
  paidText: 'Thank you. The payment was received, and nothing is left to pay here.',
  closePage: 'You can close this page.',
  expired: 'This payment link has expired',
  expiredText: 'Ask the sender for a new link.',
  cancelled: 'This payment link is no longer valid',
  cancelledText: 'The sender has withdrawn it. Ask the sender if you still have something to pay.',
  unknown: 'This payment link does not exist',
  unknownText: 'Check that the address is complete, or ask the sender for the link again.',
};

const de: PayWords = {
  loading: 'Die Zahlungsseite wird geladen',
  pay: (shop) => `Zahlung an ${shop}`,
  payment: 'Ihre Zahlung',
  orderNumber: (id) => `Bestellung ${id}`,
  payBy: (time) => `Zu bezahlen bis ${time}`,
  paid: 'Bereits bezahlt',
  paidText: 'Vielen Dank. Die Zahlung ist eingegangen, hier ist nichts mehr zu bezahlen.',
  closePage: 'Sie können diese Seite schließen.',
  expired: 'Dieser Zahlungslink ist abgelaufen',
  expiredText: 'Bitten Sie den Absender um einen neuen Link.',
  cancelled: 'Dieser Zahlungslink ist nicht mehr gültig',
  cancelledText: 'Der Absender hat ihn zurückgezogen. Fragen Sie ihn, ob noch etwas zu bezahlen ist.',
  unknown: 'Diesen Zahlungslink gibt es nicht',
  unknownText: 'Prüfen Sie, ob die Adresse vollständig ist, oder lassen Sie sich den Link noch einmal senden.',
};

const fr: PayWords = {
  loading: 'La page de paiement se charge',
  pay: (shop) => `Payer ${shop}`,
  payment: 'Votre paiement',
  orderNumber: (id) => `Commande ${id}`,
  payBy: (time) => `À payer avant le ${time}`,
  paid: 'Déjà payé',
  paidText: 'Merci. Le paiement a été reçu, il ne reste rien à payer ici.',
  closePage: 'Vous pouvez fermer cette page.',
  expired: 'Ce lien de paiement a expiré',
  expiredText: 'Demandez un nouveau lien à l’expéditeur.',
  cancelled: 'Ce lien de paiement n’est plus valable',
  cancelledText: 'L’expéditeur l’a retiré. Demandez-lui s’il vous reste quelque chose à payer.',
  unknown: 'Ce lien de paiement n’existe pas',
  unknownText: 'Vérifiez que l’adresse est complète, ou demandez à recevoir le lien à nouveau.',
};

const es: PayWords = {
  loading: 'La página de pago se está cargando',
  pay: (shop) => `Pagar a ${shop}`,
  payment: 'Su pago',
  orderNumber: (id) => `Pedido ${id}`,
  payBy: (time) => `Pague antes del ${time}`,
  paid: 'Ya está pagado',
  paidText: 'Gracias. El pago se ha recibido y aquí no queda nada por pagar.',
  closePage: 'Puede cerrar esta página.',
  expired: 'Este enlace de pago ha caducado',
  expiredText: 'Pida un enlace nuevo al remitente.',
  cancelled: 'Este enlace de pago ya no es válido',
  cancelledText: 'El remitente lo ha retirado. Pregúntele si todavía tiene algo que pagar.',
  unknown: 'Este enlace de pago no existe',
  unknownText: 'Compruebe que la dirección esté completa o pida que le envíen el enlace de nuevo.',
};

const it: PayWords = {
  loading: 'La pagina di pagamento si sta caricando',
  pay: (shop) => `Paga ${shop}`,
  payment: 'Il Suo pagamento',
  orderNumber: (id) => `Ordine ${id}`,
  payBy: (time) => `Da pagare entro il ${time}`,
  paid: 'Già pagato',
  paidText: 'Grazie. Il pagamento è stato ricevuto e qui non resta nulla da pagare.',
  closePage: 'Può chiudere questa pagina.',
  expired: 'Questo link di pagamento è scaduto',
  expiredText: 'Chieda un nuovo link al mittente.',
  cancelled: 'Questo link di pagamento non è più valido',
  cancelledText: 'Il mittente l’ha ritirato. Gli chieda se deve ancora pagare qualcosa.',
  unknown: 'Questo link di pagamento non esiste',
  unknownText: 'Controlli che l’indirizzo sia completo, oppure si faccia inviare di nuovo il link.',
};

const LANGUAGES: ReadonlyMap<string, PayWords> = new Map(Object.entries({ en, de, fr, es, it }));

/** `lang`: a language of the card frame. */
export const payWordsOf = (lang: string): PayWords => LANGUAGES.get(lang) ?? en;
