// The stand-in of Stripe.js: a payment element of one method, or the buttons of wallets, in a frame of the twin's, and
// a confirmation token of what they contain. No number reaches the page around it.

/** The path of the page with the fields. */
export const FIELDS_AT = '/v3/elements-inner-payment.html';

/** The script, for the twin at this root. */
export const stripeJs = (root: string): string => `// A stand-in of Stripe.js for tests.
(() => {
  const root = ${JSON.stringify(root)};
  const error = (type, message) => ({ error: { type, message } });

  /** Those that Stripe offers for a later capture. */
  const CAPTURED_LATER = ['card', 'klarna'];

  function Element(publishableKey, options, elementType, own) {
    const [type = 'card'] = options.allowedPaymentMethodTypes ?? [];
    const heard = {};
    const asked = new Map();
    let frame;
    let readOnly = false;
    const tell = (type, event) => (heard[type] ?? []).forEach((hear) => hear(event));
    const post = (message) => frame?.contentWindow?.postMessage(message, root);
    const has = (wallet) => own.paymentMethods?.[wallet] !== 'never';
    const wallets = elementType === 'payment' ? [] : ['applePay', 'googlePay'].filter(has);
    const show = () => {
      const { amount, currency, locale, appearance } = options;
      post({ kind: 'show', elementType, type, wallets, theme: own.buttonTheme?.applePay, amount, currency, locale, appearance, readOnly });
    };
    const onMessage = ({ source, origin, data }) => {
      if (frame === undefined || source !== frame.contentWindow || origin !== root) return;
      if (data.kind === 'loaded') show();
      if (data.kind === 'shown') {
        frame.style.height = data.height + 'px';
        if (data.isFirst && elementType === 'expressCheckout') {
          const shown = Object.fromEntries(wallets.map((wallet) => [wallet, { available: true }]));
          tell('availablepaymentmethodschange', { elementType, paymentMethods: wallets.length > 0 ? shown : undefined });
        }
        if (data.isFirst) tell('ready', { elementType });
      }
      if (data.kind === 'change') tell('change', { elementType, complete: data.complete, empty: data.empty });
      if (data.kind === 'pressed')
        tell('click', { elementType, expressPaymentType: data.wallet, resolve: () => post({ kind: 'open' }), reject: () => {} });
      if (data.kind === 'agreed')
        tell('confirm', { elementType, expressPaymentType: data.wallet, paymentFailed: () => post({ kind: 'failed' }) });
      if (data.kind === 'cancelled') tell('cancel', { elementType });
      if (data.kind === 'answer') asked.get(data.id)?.(data.answer);
    };
    return {
      on(type, hear) {
        (heard[type] ??= []).push(hear);
        return this;
      },
      mount(place) {
        frame = document.createElement('iframe');
        if (options.captureMethod === 'manual' && !CAPTURED_LATER.includes(type)) {
          tell('loaderror', { elementType, error: { type: 'invalid_request_error', message: type + ' takes the money at once.' } });
          return;
        }
        frame.title = elementType === 'payment' ? 'Secure payment input frame' : 'Secure express checkout frame';
        frame.allow = 'payment';
        frame.style.cssText = 'border: 0; width: calc(100% + 6px); margin: -3px; display: block; height: 150px; color-scheme: normal';
        frame.src = root + ${JSON.stringify(FIELDS_AT)} + '#' + publishableKey;
        window.addEventListener('message', onMessage);
        (typeof place === 'string' ? document.querySelector(place) : place).append(frame);
      },
      ask: (kind) =>
        new Promise((resolve) => {
          const id = String(asked.size);
          asked.set(id, resolve);
          post({ kind, id, futureUse: options.setupFutureUsage ?? '' });
        }),
      refresh: show,
      update(more) {
        readOnly = more.readOnly ?? readOnly;
        show();
        return this;
      },
      clear: () => post({ kind: 'clear' }),
      focus: () => post({ kind: 'focus' }),
      unmount: () => frame?.remove(),
      destroy() {
        window.removeEventListener('message', onMessage);
        frame?.remove();
      },
    };
  }

  function elementsOf(publishableKey, options) {
    if (!Number.isInteger(options.amount) || options.amount < 1) throw new Error('amount must be a positive integer');
    if (!/^[a-z]{3}$/.test(options.currency)) throw new Error('currency must be in lower case');
    let element;
    return {
      create(type, own = {}) {
        if (type !== 'payment' && type !== 'expressCheckout') throw new Error('The stand-in has no element ' + type);
        element = Element(publishableKey, options, type, own);
        return element;
      },
      getElement: () => element ?? null,
      update(more) {
        Object.assign(options, more);
        element?.refresh();
      },
      submit: () => element?.ask('submit') ?? error('invalid_request_error', 'No element is mounted.'),
    };
  }

  globalThis.Stripe = (publishableKey) => ({
    elements: (options) => elementsOf(publishableKey, { ...options }),
    createConfirmationToken: ({ elements }) => elements.getElement().ask('token'),
  });
  globalThis.Stripe.version = 'endive';
})();
`;

/** The page with the fields: what is in it leaves it as a token only. */
export const FIELDS_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Secure payment input</title>
<style>
  body { margin: 0; padding: 3px; font: 16px sans-serif; display: grid; grid-template-columns: 1fr 1fr; gap: 14px }
  label { display: block; font-size: 0.875em; font-weight: 500 }
  .wide, p { grid-column: 1 / 3 }
  input { box-sizing: border-box; display: block; width: 100%; height: 46px; margin-top: 6px; padding: 0 13px; border: 1px solid; font: inherit; font-size: 16px }
  p { margin: 0; font-size: 0.8125em }
  p:empty { display: none }
  .express, .sheet { grid-column: 1 / 3; display: flex; flex-wrap: wrap; gap: 8px }
  .express button { flex: 1; height: 48px; border: 0; border-radius: 6px; background: #000; color: #fff; font: 500 17px sans-serif }
  [data-theme=white] button { background: #fff; color: #000 }
  .sheet p { flex-basis: 100% }
  .sheet button { height: 36px; padding: 0 14px; font: 15px sans-serif }
</style></head><body>
<script>
  const key = location.hash.slice(1);
  const FIELDS = {
    card: { number: ['cc-number', '1234 1234 1234 1234'], expiry: ['cc-exp', 'MM / YY'], cvc: ['cc-csc', 'CVC'] },
    ideal: {},
    bancontact: { name: ['name', ''] },
    klarna: { email: ['email', ''] },
    sepa_debit: { iban: ['off', 'DE00 0000 0000 0000 0000 00'], name: ['name', ''] },
  };
  const NARROW = ['expiry', 'cvc'];
  const WORDS = {
    en: { number: 'Card number', expiry: 'Expiration date', cvc: 'Security code', name: 'Full name', email: 'Email', iban: 'IBAN', card: 'Your card details are incomplete.', other: 'Your details are incomplete.', sepa_debit: 'By providing your IBAN you authorise the merchant and Stripe to debit your account.', page: 'You will be sent to another page to pay.' },
    de: { number: 'Kartennummer', expiry: 'Ablaufdatum', cvc: 'Sicherheitscode', name: 'Vollständiger Name', email: 'E-Mail', iban: 'IBAN', card: 'Ihre Kartendaten sind unvollständig.', other: 'Ihre Angaben sind unvollständig.', sepa_debit: 'Mit der Angabe Ihrer IBAN ermächtigen Sie den Händler und Stripe, Ihr Konto zu belasten.', page: 'Sie werden zum Bezahlen weitergeleitet.' },
    fr: { number: 'Numéro de carte', expiry: 'Date d’expiration', cvc: 'Code de sécurité', name: 'Nom complet', email: 'E-mail', iban: 'IBAN', card: 'Vos informations de carte sont incomplètes.', other: 'Vos informations sont incomplètes.', sepa_debit: 'En fournissant votre IBAN, vous autorisez le marchand et Stripe à débiter votre compte.', page: 'Vous serez redirigé pour payer.' },
    es: { number: 'Número de tarjeta', expiry: 'Fecha de caducidad', cvc: 'Código de seguridad', name: 'Nombre completo', email: 'Correo', iban: 'IBAN', card: 'Los datos de la tarjeta están incompletos.', other: 'Los datos están incompletos.', sepa_debit: 'Al indicar su IBAN autoriza al comercio y a Stripe a cargar su cuenta.', page: 'Se le redirigirá para pagar.' },
    it: { number: 'Numero di carta', expiry: 'Data di scadenza', cvc: 'Codice di sicurezza', name: 'Nome e cognome', email: 'E-mail', iban: 'IBAN', card: 'I dati della carta sono incompleti.', other: 'I dati sono incompleti.', sepa_debit: 'Fornendo il tuo IBAN autorizzi il commerciante e Stripe ad addebitare il tuo conto.', page: 'Verrai reindirizzato per pagare.' },
  };
  const WALLETS = { applePay: ['apple_pay', 'Apple Pay'], googlePay: ['google_pay', 'Google Pay'] };
  let words = WORDS.en;
  let type;
  let wallet;
  let inputs = [];
  const fault = Object.assign(document.createElement('p'), { id: 'error', role: 'alert' });
  const terms = document.createElement('p');
  const value = (name) => inputs.find((input) => input.name === name)?.value.trim() ?? '';
  const isComplete = () => inputs.every((input) => input.value.trim() !== '');
  const incomplete = () => words[type === 'card' ? 'card' : 'other'];
  const tell = (message) => parent.postMessage(message, '*');
  let isFirst = true;
  const measure = () => {
    tell({ kind: 'shown', height: document.body.getBoundingClientRect().height, isFirst });
    isFirst = false;
  };
  const say = (text) => {
    fault.textContent = text;
    measure();
  };
  const element = (tag, members, ...children) => {
    const made = Object.assign(document.createElement(tag), members);
    made.append(...children);
    return made;
  };
  const button = (textContent, onclick) => element('button', { type: 'button', textContent, onclick });

  function build() {
    const labels = Object.entries(FIELDS[type]).map(([name, [autocomplete, placeholder]]) => {
      const input = element('input', { name, autocomplete, placeholder });
      input.addEventListener('input', () => tell({ kind: 'change', complete: isComplete(), empty: inputs.every((one) => one.value === '') }));
      inputs.push(input);
      return element('label', { className: NARROW.includes(name) ? '' : 'wide' }, element('span', {}), input);
    });
    document.body.append(...labels, fault, terms);
  }
  const express = element('div', { className: 'express' });
  function buildExpress(wallets) {
    for (const one of wallets) {
      const [name, title] = WALLETS[one];
      express.append(button(title, () => {
        wallet = name;
        tell({ kind: 'pressed', wallet });
      }));
    }
    document.body.append(express);
  }
  /** In place of the wallet of the browser. */
  function openSheet(money) {
    const close = (message) => {
      sheet.remove();
      measure();
      tell(message);
    };
    const sheet = element(
      'div',
      { className: 'sheet', role: 'dialog', ariaLabel: 'Wallet' },
      element('p', { textContent: money }),
      button('Agree', () => close({ kind: 'agreed', wallet })),
      button('Cancel', () => close({ kind: 'cancelled' })),
    );
    document.body.append(sheet);
    measure();
  }
  let money = '';

  function show({ elementType, type: asked, wallets, theme, amount, currency, locale, appearance = {}, readOnly }) {
    const { colorText, colorBackground, colorDanger, colorTextSecondary, fontFamily, fontSizeBase, borderRadius } = appearance.variables ?? {};
    money = amount + ' ' + currency;
    express.dataset.theme = theme;
    if (type === undefined) {
      type = asked;
      if (elementType === 'expressCheckout') buildExpress(wallets);
      else build();
    }
    words = WORDS[locale] ?? WORDS.en;
    document.documentElement.lang = locale in WORDS ? locale : 'en';
    Object.assign(document.body.style, { color: colorText, fontFamily, fontSize: fontSizeBase });
    fault.style.color = colorDanger;
    terms.style.color = colorTextSecondary;
    terms.textContent = type === 'card' || elementType === 'expressCheckout' ? '' : (words[type] ?? words.page);
    for (const input of inputs) {
      input.previousSibling.textContent = words[input.name];
      input.disabled = readOnly;
      Object.assign(input.style, { color: 'inherit', background: colorBackground, borderRadius });
      input.style.borderColor = appearance.rules?.['.Input']?.borderColor;
    }
    measure();
  }
  function entered() {
    if (wallet !== undefined) return { type: 'card', 'card][wallet': wallet };
    if (type === 'card') {
      const [month = '', year = ''] = value('expiry').split('/').map((part) => part.trim());
      return { type, 'card][number': value('number').replaceAll(' ', ''), 'card][exp_month': month, 'card][exp_year': year, 'card][cvc': value('cvc') };
    }
    const details = Object.fromEntries(['name', 'email'].filter((name) => value(name) !== '').map((name) => ['billing_details][' + name, value(name)]));
    return { type, ...details, ...(type === 'sepa_debit' && { 'sepa_debit][iban': value('iban').replaceAll(' ', '') }) };
  }
  async function token(futureUse) {
    const sent = new URLSearchParams(Object.entries(entered()).map(([name, text]) => ['payment_method_data[' + name + ']', text]));
    sent.set('setup_future_usage', futureUse);
    try {
      const headers = { Authorization: 'Bearer ' + key };
      const response = await fetch('/v1/confirmation_tokens', { method: 'POST', headers, body: sent });
      const answer = await response.json();
      return response.ok ? { confirmationToken: answer } : { error: answer.error };
    } catch (failure) {
      return { error: { type: 'api_connection_error', message: String(failure) } };
    }
  }
  addEventListener('message', async ({ source, data }) => {
    if (source !== parent) return;
    if (data.kind === 'show') show(data);
    if (data.kind === 'focus') inputs[0]?.focus();
    if (data.kind === 'open') openSheet(money);
    if (data.kind === 'failed') express.append(element('p', { textContent: 'The payment failed.' }));
    if (data.kind === 'clear') for (const input of inputs) input.value = '';
    if (data.kind === 'submit') {
      say(isComplete() ? '' : incomplete());
      const error = { type: 'validation_error', code: 'incomplete', message: incomplete() };
      tell({ kind: 'answer', id: data.id, answer: isComplete() ? {} : { error } });
    }
    if (data.kind === 'token') tell({ kind: 'answer', id: data.id, answer: await token(data.futureUse) });
  });
  tell({ kind: 'loaded' });
</script></body></html>`;
