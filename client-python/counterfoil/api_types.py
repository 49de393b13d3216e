"""The objects of the API as types. Amounts are in minor units, times are RFC 3339 text (contract §1).

Made by `npm run python-types` from the description of the API: change the routes, not this file. An enumeration of a
response is open: a later service may add values. A TypedDict is a plain dict at run time.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

AgreementStatus = Literal["PENDING", "ACTIVE", "PAUSED", "SUSPENDED", "ENDED", "CANCELLED", "REVOKED", "FAILED"] | str

AgreementStatusInput = Literal["PENDING", "ACTIVE", "PAUSED", "SUSPENDED", "ENDED", "CANCELLED", "REVOKED", "FAILED"]

CountryCode = Literal["AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA", "BB", "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BV", "BW", "BY", "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU", "CV", "CW", "CX", "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES", "ET", "FI", "FJ", "FK", "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF", "GG", "GH", "GI", "GL", "GM", "GN", "GP", "GQ", "GR", "GS", "GT", "GU", "GW", "GY", "HK", "HM", "HN", "HR", "HT", "HU", "ID", "IE", "IL", "IM", "IN", "IO", "IQ", "IR", "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM", "KN", "KP", "KR", "KW", "KY", "KZ", "LA", "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY", "MA", "MC", "MD", "ME", "MF", "MG", "MH", "MK", "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT", "MU", "MV", "MW", "MX", "MY", "MZ", "NA", "NC", "NE", "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU", "NZ", "OM", "PA", "PE", "PF", "PG", "PH", "PK", "PL", "PM", "PN", "PR", "PS", "PT", "PW", "PY", "QA", "RE", "RO", "RS", "RU", "RW", "SA", "SB", "SC", "SD", "SE", "SG", "SH", "SI", "SJ", "SK", "SL", "SM", "SN", "SO", "SR", "SS", "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF", "TG", "TH", "TJ", "TK", "TL", "TM", "TN", "TO", "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY", "UZ", "VA", "VC", "VE", "VG", "VI", "VN", "VU", "WF", "WS", "XK", "YE", "YT", "ZA", "ZM", "ZW"]

CurrencyCode = Literal["AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG"]

KnownCurrencyCode = Literal["AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG", "ANG", "BGN", "BYR", "CUC", "HRK", "MRO", "SLL", "STD", "VEF", "ZWL"]

KnownCurrencyCodeOutput = Literal["AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG", "ANG", "BGN", "BYR", "CUC", "HRK", "MRO", "SLL", "STD", "VEF", "ZWL"] | str

PaymentLinkStatus = Literal["OPEN", "PROCESSING", "PAID", "EXPIRED", "CANCELLED"] | str

PaymentStatus = Literal["PENDING", "AUTHORIZED", "SETTLING", "PARTIALLY_SETTLED", "SETTLED", "DECLINED", "FAILED", "CANCELLED"] | str

PaymentStatusInput = Literal["PENDING", "AUTHORIZED", "SETTLING", "PARTIALLY_SETTLED", "SETTLED", "DECLINED", "FAILED", "CANCELLED"]

RetryBecause = Literal["DECLINED", "NETWORK_ADVICE", "NETWORK_LIMIT", "NETWORK_FORBIDS", "PERIOD_OVER"] | str


class AccountData(TypedDict):
    # The customer's e-mail address.
    emailAddress: NotRequired[str]


class Address(TypedDict):
    # First name.
    firstName: NotRequired[str | None]
    # Last name.
    lastName: NotRequired[str | None]
    # Street and number.
    addressLine1: NotRequired[str | None]
    # Flat, floor or company.
    addressLine2: NotRequired[str | None]
    # City or town.
    city: NotRequired[str | None]
    # State, province or region.
    state: NotRequired[str | None]
    # Postal code.
    postalCode: NotRequired[str | None]
    # ISO 3166-1 alpha-2.
    countryCode: NotRequired[CountryCode | None]


class AdjustAuthorization(TypedDict):
    # The new total of the authorization, minor units, at least 1. It may be lower than the previous total.
    amount: int


class AgreementTerms(TypedDict):
    """What the customer agreed to."""

    # EXACT: `amount` for each period. MAXIMUM: at most `amount`. VARIABLE: any amount.
    amountRule: Literal["EXACT", "MAXIMUM", "VARIABLE"] | str
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: KnownCurrencyCodeOutput
    # How long a period is; absent for UNSCHEDULED, whose periods have no length.
    frequency: NotRequired[Literal["DAY", "WEEK", "MONTH", "YEAR"] | str]
    # How many times `frequency` a period is; 1 if left out.
    interval: NotRequired[int]
    # The most periods that may be charged; the agreement ends with the last one.
    count: NotRequired[int]
    # When the first period begins; now if left out.
    startsAt: str
    # When the agreement can no longer be charged.
    endsAt: NotRequired[str]
    # What the customer agreed to, in a few words.
    description: str


class AgreementConsent(TypedDict):
    """The consent of the customer, as it can be proved later."""

    # When the customer agreed.
    acceptedAt: str
    # How the customer agreed.
    channel: Literal["ONLINE", "PAPER", "PHONE"] | str
    # The SHA-256 of the text that the customer agreed to, in lower-case hex.
    textDigest: str
    # Where the text can be read.
    textUrl: NotRequired[str]
    # The address from which the customer agreed.
    ipAddress: NotRequired[str]
    # The browser in which the customer agreed.
    userAgent: NotRequired[str]
    # The text that the customer agreed to, where the checkout has shown it.
    shownText: NotRequired[str]
    # The language of that text.
    language: NotRequired[Literal["en", "de", "es", "fr", "it"] | str]


class AgreementRetry(TypedDict):
    """Whether the service tries declined periods again; not if absent."""

    # Who tries a declined period again. NONE: your own calls. ADVISED: the service, when the network says, otherwise after 1, 3, 5 and 7 days. DAYS: the service, after `days`.
    policy: Literal["NONE", "ADVISED", "DAYS"] | str
    # With DAYS: the waits between the tries, in days.
    days: NotRequired[list[int]]


class AgreementInitial(TypedDict):
    """The payment with which the customer agreed; the card network knows later charges by it."""

    # The payment that the customer made.
    paymentId: str
    # The card network; new ones may be added.
    network: str
    # The card network’s own name of the payment.
    networkTransactionId: NotRequired[str]
    # Mastercard’s own name of the payment.
    transactionLinkId: NotRequired[str]


class AgreementUsage(TypedDict):
    """How much of the agreement is used."""

    # The number of periods that were charged or tried.
    claimed: int
    # The number of periods that were charged.
    succeeded: int


class AgreementNotices(TypedDict):
    # PRE_NOTIFICATION: of a charge that is due. TERMS: of other terms.
    kind: Literal["PRE_NOTIFICATION", "TERMS"] | str
    # When you told the customer.
    sentAt: str
    # How you told the customer.
    channel: Literal["EMAIL", "SMS", "LETTER", "APP"] | str
    # With PRE_NOTIFICATION: the day of the charge.
    dueOn: NotRequired[str]
    # The amount of the charge; absent: that of the terms.
    amount: NotRequired[int]


class Agreement(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # When its first event was recorded.
    date: str
    # When its newest event was recorded.
    dateUpdated: str
    # The current status.
    status: AgreementStatus
    # With SUSPENDED: what the customer has to do. AUTHENTICATE: the issuer wants the customer to confirm. NEW_INSTRUMENT: the payment method cannot be charged.
    action: NotRequired[Literal["AUTHENTICATE", "NEW_INSTRUMENT"] | str]
    # The refusal because of which the agreement is suspended or revoked.
    statusReason: NotRequired[StatusReason]
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: str
    # RECURRING: at fixed times. INSTALLMENT: parts of one price. UNSCHEDULED: whenever the terms say.
    kind: Literal["RECURRING", "INSTALLMENT", "UNSCHEDULED"] | str
    # What the customer agreed to.
    terms: AgreementTerms
    # The consent of the customer, as it can be proved later.
    consent: AgreementConsent
    # Whether the service tries declined periods again; not if absent.
    retry: NotRequired[AgreementRetry]
    # The payment method that is charged.
    paymentMethodToken: NotRequired[str]
    # The payment with which the customer agreed; the card network knows later charges by it.
    initial: NotRequired[AgreementInitial]
    # How much of the agreement is used.
    usage: AgreementUsage
    # The newest 60 periods and those without an outcome; the newest last.
    periods: NotRequired[list[AgreementPeriod]]
    # What you told the customer, the newest 20; the newest last.
    notices: NotRequired[list[AgreementNotices]]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any]]
    # The number of the newest event: the ETag without quotes.
    version: int


class AgreementList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[Agreement]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class AgreementMessage(TypedDict):
    # The id of the event; a webhook carries it as `webhook-id`.
    eventId: str
    # The type of the message; new types may be added.
    eventType: Literal["AGREEMENT.STATUS", "AGREEMENT.ACTION_REQUIRED", "AGREEMENT.CHARGE"] | str
    # When it was recorded.
    date: str
    # The version of the API that defines the agreement object.
    version: str
    # The version of the agreement that the message reports.
    sequence: int
    # The agreement as it was at `sequence`, on every delivery.
    agreement: Agreement
    # With AGREEMENT.CHARGE: the period whose try has its outcome, as in `periods`.
    charge: NotRequired[AgreementPeriod]
    # The sequence of the previous message for this endpoint and agreement; absent in GET /events.
    previousSequence: NotRequired[int]


class AgreementNotice(TypedDict):
    # PRE_NOTIFICATION: of a charge that is due. TERMS: of other terms.
    kind: Literal["PRE_NOTIFICATION", "TERMS"]
    # When you told the customer.
    sentAt: str
    # How you told the customer.
    channel: Literal["EMAIL", "SMS", "LETTER", "APP"]
    # With PRE_NOTIFICATION: the day of the charge.
    dueOn: NotRequired[str | None]
    # The amount of the charge. Without it: that of the terms.
    amount: NotRequired[int | None]


class AgreementPeriod(TypedDict):
    # Your name of the period, such as `2026-12`: it is charged once, for ever.
    periodKey: str
    # The payment of the newest try.
    paymentId: str
    # How often the period was tried; each try has a payment of its own.
    tries: int
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # ISO 4217 alpha-3, upper case.
    currencyCode: KnownCurrencyCodeOutput
    # Your reference for the order.
    orderId: str
    # When the newest try began.
    claimedAt: str
    # How the newest try ended; absent while its payment has no outcome.
    outcome: NotRequired[Literal["SUCCEEDED", "DECLINED", "FAILED", "CANCELLED"] | str]
    # The code of the refusal.
    code: NotRequired[str]
    # When the next try of the period may begin.
    notBefore: NotRequired[str]
    # Why the period cannot be tried before.
    because: NotRequired[RetryBecause]
    # When the service makes the next try.
    retryAt: NotRequired[str]
    # NETWORK_LIMIT, NETWORK_FORBIDS: the card network allows none. OUTSIDE_TERMS: the customer has not agreed to it any longer. NOT_POSSIBLE: the payment cannot be made again as it was.
    retryRefused: NotRequired[Literal["NETWORK_LIMIT", "NETWORK_FORBIDS", "OUTSIDE_TERMS", "NOT_POSSIBLE"] | str]


class AgreementWhyNext(TypedDict):
    # Your name of the period, such as `2026-12`: it is charged once, for ever.
    periodKey: NotRequired[str]
    # The next step in a sentence.
    words: str
    # When it happens, or may.
    at: NotRequired[str]


class AgreementWhy(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # The current status.
    status: AgreementStatus
    # The number of the newest event: the ETag without quotes.
    version: int
    # The items, in the order that the summary describes.
    data: list[AgreementWhyStep]
    # What is next, of the agreement and of each period that is not over; on the last page.
    next: NotRequired[list[AgreementWhyNext]]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class AgreementWhyStepBy(TypedDict):
    """The actor that caused the step."""

    # The kind of actor.
    kind: Literal["apiKey", "checkout", "operator", "policy", "processor", "user"] | str
    # The id of the key, session, user, processor or operator.
    id: str
    # The name of the API key.
    name: NotRequired[str]


AgreementWhyStepChanged = TypedDict("AgreementWhyStepChanged", {"from": NotRequired['AgreementStatus'], "to": 'AgreementStatus'})


class AgreementWhyStep(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # ASKED: a request, recorded before its effect. DECIDED: the service, by its rules. ANSWERED: a try has its outcome.
    kind: Literal["ASKED", "DECIDED", "ANSWERED"] | str
    # The kind of fact; new ones may be added.
    type: str
    # The step in a sentence.
    words: str
    # The number of the event: the version of the agreement after it.
    revision: int
    # When it was recorded.
    date: str
    # The actor that caused the step.
    by: AgreementWhyStepBy
    # The `X-Request-Id` of the first request, or the id of the work that came first.
    requestId: str
    # The id of the step that led to this one; absent if the request itself did.
    causedBy: NotRequired[str]
    # Your name of the period, such as `2026-12`: it is charged once, for ever.
    periodKey: NotRequired[str]
    # The payment of the try.
    paymentId: NotRequired[str]
    # The change of the status.
    changed: NotRequired[AgreementWhyStepChanged]


class AnsweredAddress(TypedDict):
    # First name.
    firstName: NotRequired[str]
    # Last name.
    lastName: NotRequired[str]
    # Street and number.
    addressLine1: NotRequired[str]
    # Flat, floor or company.
    addressLine2: NotRequired[str]
    # City or town.
    city: NotRequired[str]
    # State, province or region.
    state: NotRequired[str]
    # Postal code.
    postalCode: NotRequired[str]
    # ISO 3166-1 alpha-2.
    countryCode: NotRequired[str]


class AnsweredCustomer(TypedDict):
    # The customer's e-mail address.
    emailAddress: NotRequired[str]
    # The customer's mobile number.
    mobileNumber: NotRequired[str]
    # First name.
    firstName: NotRequired[str]
    # Last name.
    lastName: NotRequired[str]
    # The customer's tax number.
    taxId: NotRequired[str]
    # The customer's national document number.
    nationalDocumentId: NotRequired[str]
    # The address on the card's statements.
    billingAddress: NotRequired[AnsweredAddress]
    # The address to which the order is sent.
    shippingAddress: NotRequired[AnsweredAddress]


class AnsweredFee(TypedDict):
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # The purpose of the fee.
    type: NotRequired[str]
    # Your description.
    description: NotRequired[str]


class AnsweredLineItemProductData(TypedDict):
    """More about the product."""

    # Your stock keeping unit.
    sku: NotRequired[str]
    # The brand of the product.
    brand: NotRequired[str]
    # The color of the product.
    color: NotRequired[str]
    # GTIN: the number under the bar code.
    globalTradeItemNumber: NotRequired[str]
    # The manufacturer's own number.
    manufacturerPartNumber: NotRequired[str]
    # The weight of one unit.
    weight: NotRequired[float]
    # The unit of the weight.
    weightUnit: NotRequired[str]
    # The page of the product.
    pageUrl: NotRequired[str]


class AnsweredLineItem(TypedDict):
    # The price of one unit, in minor units.
    amount: int
    # The number of units; 1 without it.
    quantity: NotRequired[int]
    # The discount on the whole line, minor units.
    discountAmount: NotRequired[int]
    # The tax on the whole line, minor units.
    taxAmount: NotRequired[int]
    # Your id of the item.
    itemId: NotRequired[str]
    # The name of the item.
    name: NotRequired[str]
    # Your description.
    description: NotRequired[str]
    # The tax code of the item.
    taxCode: NotRequired[str]
    # The kind of product: physical, which is shipped, or digital.
    productType: NotRequired[str]
    # More about the product.
    productData: NotRequired[AnsweredLineItemProductData]


class AnsweredOrder(TypedDict):
    # The goods and services of the order; all fields of a session together have at most 512 KiB of JSON.
    lineItems: NotRequired[list[AnsweredLineItem]]
    # The country of the order: ISO 3166-1 alpha-2.
    countryCode: NotRequired[str]
    # The country of the seller: ISO 3166-1 alpha-2.
    retailerCountryCode: NotRequired[str]
    # Charges in addition to the lines.
    fees: NotRequired[list[AnsweredFee]]
    # The shipping method.
    shipping: NotRequired[AnsweredShipping]


class AnsweredPaymentMethodOptions(TypedDict):
    # Vaults the card for the customer when the payment is authorized; needs a customerId. Default: false.
    vaultOnSuccess: NotRequired[bool]
    # MANUAL (default): a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture).
    captureMode: NotRequired[Literal["MANUAL", "AUTOMATIC"] | str]
    # The text on the customer's statement, where the processor can show it.
    descriptor: NotRequired[str]
    # The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without the customer, who is never asked to act; in the checkout the customer is present with any type.
    paymentType: NotRequired[Literal["FIRST_PAYMENT", "ECOMMERCE", "SUBSCRIPTION", "UNSCHEDULED"] | str]
    # The card networks to offer, in this order; without it: all.
    orderedAllowedCardNetworks: NotRequired[list[Literal["VISA", "MASTERCARD", "AMEX", "DISCOVER", "OTHER"] | str]]
    # FINAL (default): the amount is known. ESTIMATED: it can be adjusted until the capture.
    authorizationType: NotRequired[Literal["FINAL", "ESTIMATED"] | str]
    # Options of each payment method, by its type. They are set when the session is created and never change.
    options: NotRequired[dict[str, Any]]
    # The methods of payment to offer, in this order; without it, or empty: all that can pay the session.
    orderedAllowedMethods: NotRequired[list[Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO", "APPLE_PAY", "GOOGLE_PAY"] | str]]


class AnsweredProposedAgreementTerms(TypedDict):
    """What the customer agreed to."""

    # EXACT: `amount` for each period. MAXIMUM: at most `amount`. VARIABLE: any amount.
    amountRule: Literal["EXACT", "MAXIMUM", "VARIABLE"] | str
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: str
    # How long a period is; absent for UNSCHEDULED, whose periods have no length.
    frequency: NotRequired[Literal["DAY", "WEEK", "MONTH", "YEAR"] | str]
    # How many times `frequency` a period is; 1 if left out.
    interval: NotRequired[int]
    # The most periods that may be charged; the agreement ends with the last one.
    count: NotRequired[int]
    # When the first period begins; now if left out.
    startsAt: NotRequired[str]
    # When the agreement can no longer be charged.
    endsAt: NotRequired[str]
    # What the customer agrees to, in a few words.
    description: str


class AnsweredProposedAgreementRetry(TypedDict):
    """Whether the service tries declined periods again; not if left out."""

    # Who tries a declined period again. NONE: your own calls. ADVISED: the service, when the network says, otherwise after 1, 3, 5 and 7 days. DAYS: the service, after `days`.
    policy: Literal["NONE", "ADVISED", "DAYS"] | str
    # With DAYS: the waits between the tries, in days.
    days: NotRequired[list[float]]


class AnsweredProposedAgreement(TypedDict):
    # RECURRING: at fixed times. INSTALLMENT: parts of one price. UNSCHEDULED: whenever the terms say.
    kind: Literal["RECURRING", "INSTALLMENT", "UNSCHEDULED"] | str
    # What the customer agreed to.
    terms: AnsweredProposedAgreementTerms
    # Whether the service tries declined periods again; not if left out.
    retry: NotRequired[AnsweredProposedAgreementRetry]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any]]


class AnsweredShipping(TypedDict):
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # Your id of the shipping method.
    methodId: NotRequired[str]
    # The name of the shipping method.
    methodName: NotRequired[str]
    # The text for the shipping method.
    methodDescription: NotRequired[str]


class AuthorizePaymentPaymentMethod(TypedDict):
    # Vaults the card for the customer when the payment is authorized; needs a customerId. Default: false.
    vaultOnSuccess: NotRequired[bool | None]
    # MANUAL (default): a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture).
    captureMode: NotRequired[Literal["MANUAL", "AUTOMATIC"] | None]
    # The text on the customer's statement, where the processor can show it.
    descriptor: NotRequired[str | None]
    # The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without the customer, who is never asked to act; in the checkout the customer is present with any type.
    paymentType: NotRequired[Literal["FIRST_PAYMENT", "ECOMMERCE", "SUBSCRIPTION", "UNSCHEDULED"] | None]
    # FINAL (default): the amount is known. ESTIMATED: it can be adjusted until the capture.
    authorizationType: NotRequired[Literal["FINAL", "ESTIMATED"] | None]


class AuthorizePayment(TypedDict):
    # Your reference for the order.
    orderId: NotRequired[str | None]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[CurrencyCode | None]
    # Minor units, at least 1. Without it: calculated from the request's order, otherwise the session's amount.
    amount: NotRequired[int | None]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[Order | None]
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str | None]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[Customer | None]
    # Yours: any JSON; merged into the session's metadata, key by key.
    metadata: NotRequired[dict[str, Any] | None]
    # How the customer pays.
    paymentMethod: NotRequired[AuthorizePaymentPaymentMethod | None]
    # The page to which the customer returns after an action on another page: an absolute URL of any scheme except `javascript`, `data` and `vbscript`.
    returnUrl: NotRequired[str | None]
    # The token of a card: single use, or vaulted.
    paymentMethodToken: str
    # The client token from the response that created the session.
    clientToken: NotRequired[str | None]


class BankData(TypedDict):
    # The bank of the account.
    bankName: NotRequired[str]
    # The last four characters of the IBAN.
    ibanLast4: NotRequired[str]
    # What the customer sees on the bank statement.
    mandateReference: NotRequired[str]


class CancelAgreement(TypedDict):
    # Your reason.
    reason: NotRequired[str | None]


class CancelPayment(TypedDict):
    # The reason, in your words.
    reason: NotRequired[str | None]


class CapturePayment(TypedDict):
    # Minor units, at least 1. Without it: the rest of the authorization.
    amount: NotRequired[int | None]
    # True if this is the last capture; the rest of the authorization is then released.
    final: NotRequired[bool | None]
    # Merged into the payment's metadata, key by key.
    metadata: NotRequired[dict[str, Any] | None]


class CardData(TypedDict):
    # The card network; new ones may be added.
    network: Literal["VISA", "MASTERCARD", "AMEX", "DISCOVER", "OTHER", "CARTES_BANCAIRES", "DINERS", "EFTPOS_AU", "INTERAC", "JCB", "UNIONPAY"] | str
    # The first six digits of the number, which name the issuer. Absent where the processor does not tell them.
    first6Digits: NotRequired[str]
    # The last four digits of the number.
    last4Digits: str
    # Two digits: 01 to 12.
    expirationMonth: str
    # Four digits.
    expirationYear: str
    # The name on the card.
    cardholderName: NotRequired[str]
    # The wallet that the card came out of.
    wallet: NotRequired[Literal["APPLE_PAY", "GOOGLE_PAY"] | str]


class ChargeAgreement(TypedDict):
    # Your name of the period, such as `2026-12`: it is charged once, for ever.
    periodKey: str
    # Your reference for the order.
    orderId: str
    # Minor units, at least 1. Without it: that of the period, or of the terms if it is new.
    amount: NotRequired[int | None]
    # Without it: that of the period, or of the terms if it is new.
    currencyCode: NotRequired[CurrencyCode | None]
    # AUTOMATIC (default): captured as soon as it is authorized, which needs transactions:capture. MANUAL: a capture follows by its own call.
    captureMode: NotRequired[Literal["MANUAL", "AUTOMATIC"] | None]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[Order | None]
    # The text on the customer's statement, where the processor can show it.
    descriptor: NotRequired[str | None]
    # Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.
    metadata: NotRequired[dict[str, Any] | None]


class CheckpointExtends(TypedDict):
    """Shows that the log extends that of the previous checkpoint (RFC 6962, section 2.1.2)."""

    # The number of events that the previous checkpoint covers.
    treeSize: int
    # The root of the previous checkpoint.
    root: str
    # The hashes that lead from the previous root to this one.
    path: list[str]


class Checkpoint(TypedDict):
    # The version of the format.
    format: Literal["counterfoil-checkpoint-1"] | str
    # The id of the store's first event.
    storeId: str
    # The number of events that the checkpoint covers: the first ones of the log.
    treeSize: int
    # The root of the Merkle tree over these events (RFC 6962, SHA-256).
    root: str
    # The position of the last of these events in the store that signed.
    position: str
    # When the checkpoint was signed, in business time.
    madeAt: str
    # The public key of the signature (Ed25519), base64url.
    publicKey: str
    # The signature over format, store, size, root, position and time, base64url.
    signature: str
    # Shows that the log extends that of the previous checkpoint (RFC 6962, section 2.1.2).
    extends: NotRequired[CheckpointExtends]


class CheckpointList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[Checkpoint]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class CheckpointMessage(TypedDict):
    # The id of the event; a webhook carries it as `webhook-id`.
    eventId: str
    # The type of the message; new types may be added.
    eventType: Literal["AUDIT.CHECKPOINT"] | str
    # When it was recorded.
    date: str
    # The version of the API that defines the body.
    version: str
    # The number of the checkpoint, from 0 on.
    sequence: int
    # The receipt: a file for `counterfoil-verify`.
    checkpoint: CheckpointReceipt


class CheckpointReceipt(TypedDict):
    # The version of the format.
    format: Literal["counterfoil-checkpoint-1"] | str
    # The id of the store's first event.
    storeId: str
    # The number of events that the checkpoint covers: the first ones of the log.
    treeSize: int
    # The root of the Merkle tree over these events (RFC 6962, SHA-256).
    root: str
    # The position of the last of these events in the store that signed.
    position: str
    # When the checkpoint was signed, in business time.
    madeAt: str
    # The public key of the signature (Ed25519), base64url.
    publicKey: str
    # The signature over format, store, size, root, position and time, base64url.
    signature: str


class ClientSessionWarnings(TypedDict):
    # FIELDS_OVERWRITTEN: the request replaced an object, and fields of it that the request did not name were dropped. AMOUNT_NOT_TAKEN: methods are not offered, because no connection takes the amount.
    code: Literal["FIELDS_OVERWRITTEN", "AMOUNT_NOT_TAKEN"] | str
    # JSONPaths of the dropped fields.
    paths: list[str]
    # Of AMOUNT_NOT_TAKEN: the methods that the checkout does not offer.
    description: NotRequired[str]


class ClientSession(TypedDict):
    # Your reference for the order.
    orderId: NotRequired[str]
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]
    # Minor units: the explicit amount if one was set, otherwise the sum of lines, fees and shipping.
    amount: NotRequired[int]
    # The page to which the customer returns after an action on another page: an absolute URL of any scheme except `javascript`, `data` and `vbscript`.
    returnUrl: NotRequired[str]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any]]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[AnsweredCustomer]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[AnsweredOrder]
    # How the customer pays.
    paymentMethod: NotRequired[AnsweredPaymentMethodOptions]
    # What the customer is asked to agree to: later charges of the payment method.
    agreement: NotRequired[AnsweredProposedAgreement]
    # The agreement that the payment charges, or begins.
    agreementId: NotRequired[str]
    # Effects of the request that may be unintended.
    warnings: NotRequired[list[ClientSessionWarnings]]


class ClientSessionFields(TypedDict):
    # Your reference for the order.
    orderId: NotRequired[str | None]
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str | None]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[CurrencyCode | None]
    # Minor units. Overrides the amount that is calculated from lines, fees and shipping.
    amount: NotRequired[int | None]
    # The page to which the customer returns after an action on another page: an absolute URL of any scheme except `javascript`, `data` and `vbscript`.
    returnUrl: NotRequired[str | None]
    # Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.
    metadata: NotRequired[dict[str, Any] | None]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[Customer | None]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[Order | None]
    # How the customer pays.
    paymentMethod: NotRequired[PaymentMethodOptions | None]
    # What the customer is asked to agree to: later charges of the payment method.
    agreement: NotRequired[ProposedAgreement | None]
    # The agreement that charges the payment method from the payment on, in place of its old one.
    agreementId: NotRequired[str | None]


class ClientToken(TypedDict):
    # The new client token for the checkout in the browser, valid for 24 hours.
    clientToken: str
    # When the client token expires.
    clientTokenExpirationDate: str


class ConnectionMethods(TypedDict):
    # The method of payment, or the wallet.
    type: Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO", "APPLE_PAY", "GOOGLE_PAY"] | str
    # The only currencies of the method; absent if it has any.
    currencies: NotRequired[list[str]]
    # The largest amount of the method, minor units; absent without one.
    most: NotRequired[int]


class ConnectionLater(TypedDict):
    """What can be done with its payments later. Refunds in parts always can."""

    # False if every authorization takes the money at once.
    separateCapture: bool
    # A capture of less than the authorized amount.
    partialCapture: bool
    # Several captures of any authorization. If false, some cards may still allow them.
    multipleCaptures: bool
    # Changes of the total of an ESTIMATED authorization.
    adjustment: Literal["NONE", "RAISE", "ANY"] | str
    # A customer action can be ended, so that the customer pays in another way.
    endAction: bool
    # Evidence against a dispute can be sent.
    disputeResponse: bool


class ConnectionCircuit(TypedDict):
    """The circuit breaker on the node that responds; each node has its own."""

    # Whether new operations are sent.
    state: Literal["CLOSED", "HALF_OPEN", "OPEN"] | str
    # While it is open: until an operation may try, ms.
    triesInMs: NotRequired[int]


class ConnectionLastAnswer(TypedDict):
    """The last call of this node that the processor answered; absent if there was none."""

    # When the call was sent.
    at: str
    # The kind of call: an operation of a payment, a look-up, and others.
    to: str
    # The outcome, such as `succeeded` or `declined`.
    outcome: str


class Connection(TypedDict):
    # The id of the connection; the built-in sandbox has its name.
    id: str
    # Your name of the connection.
    name: str
    # The processor to which the connection leads.
    processor: str
    # DISABLED: no new payment begins by it; its payments can still be changed.
    status: Literal["ACTIVE", "DISABLED"] | str
    # The methods of payment that it takes; absent if this node does not know the processor.
    methods: NotRequired[list[ConnectionMethods]]
    # Its only currencies; absent if it has any.
    currencies: NotRequired[list[str]]
    # By currency, what every amount must be a multiple of, minor units; 1 for a currency without one.
    steps: NotRequired[dict[str, int]]
    # What can be done with its payments later. Refunds in parts always can.
    later: NotRequired[ConnectionLater]
    # The circuit breaker on the node that responds; each node has its own.
    circuit: ConnectionCircuit
    # The last call of this node that the processor answered; absent if there was none.
    lastAnswer: NotRequired[ConnectionLastAnswer]


class ConnectionList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[Connection]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class CreateAgreementTerms(TypedDict):
    """What the customer agreed to."""

    # EXACT: `amount` for each period. MAXIMUM: at most `amount`. VARIABLE: any amount.
    amountRule: Literal["EXACT", "MAXIMUM", "VARIABLE"]
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int | None]
    # ISO 4217 alpha-3, upper case.
    currencyCode: CurrencyCode
    # How long a period is; absent for UNSCHEDULED, whose periods have no length.
    frequency: NotRequired[Literal["DAY", "WEEK", "MONTH", "YEAR"] | None]
    # How many times `frequency` a period is; 1 if left out.
    interval: NotRequired[int | None]
    # The most periods that may be charged; the agreement ends with the last one.
    count: NotRequired[int | None]
    # When the first period begins; now if left out.
    startsAt: NotRequired[str | None]
    # When the agreement can no longer be charged.
    endsAt: NotRequired[str | None]
    # What the customer agreed to, in a few words.
    description: str


class CreateAgreementConsent(TypedDict):
    """The consent of the customer, as it can be proved later."""

    # When the customer agreed.
    acceptedAt: str
    # How the customer agreed.
    channel: Literal["ONLINE", "PAPER", "PHONE"]
    # The SHA-256 of the text that the customer agreed to, in lower-case hex.
    textDigest: str
    # Where the text can be read.
    textUrl: NotRequired[str | None]
    # The address from which the customer agreed.
    ipAddress: NotRequired[str | None]
    # The browser in which the customer agreed.
    userAgent: NotRequired[str | None]


class CreateAgreementRetry(TypedDict):
    # Who tries a declined period again. NONE: your own calls. ADVISED: the service, when the network says, otherwise after 1, 3, 5 and 7 days. DAYS: the service, after `days`.
    policy: Literal["NONE", "ADVISED", "DAYS"]
    # With DAYS: the waits between the tries, in days.
    days: NotRequired[list[int] | None]


class CreateAgreement(TypedDict):
    # A successful payment of the customer with a saved payment method, or that saved one.
    paymentId: str
    # RECURRING: at fixed times. INSTALLMENT: parts of one price. UNSCHEDULED: whenever the terms say.
    kind: Literal["RECURRING", "INSTALLMENT", "UNSCHEDULED"]
    # What the customer agreed to.
    terms: CreateAgreementTerms
    # The consent of the customer, as it can be proved later.
    consent: CreateAgreementConsent
    # Whether the service tries declined periods again; not if left out.
    retry: NotRequired[CreateAgreementRetry | None]
    # Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.
    metadata: NotRequired[dict[str, Any] | None]


class CreatePaymentLinkPaymentMethod(TypedDict):
    # MANUAL (default): a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture).
    captureMode: NotRequired[Literal["MANUAL", "AUTOMATIC"] | None]
    # The text on the customer's statement, where the processor can show it.
    descriptor: NotRequired[str | None]
    # The card networks to offer, in this order; without it: all.
    orderedAllowedCardNetworks: NotRequired[list[Literal["VISA", "MASTERCARD", "AMEX", "DISCOVER", "OTHER"]] | None]
    # FINAL (default): the amount is known. ESTIMATED: it can be adjusted until the capture.
    authorizationType: NotRequired[Literal["FINAL", "ESTIMATED"] | None]
    # The methods of payment to offer, in this order; without it, or empty: all that can pay the session.
    orderedAllowedMethods: NotRequired[list[Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO", "APPLE_PAY", "GOOGLE_PAY"]] | None]
    # Maps payment method types to objects of options.
    options: NotRequired[dict[str, Any] | None]


class CreatePaymentLink(TypedDict):
    # Your reference for the order.
    orderId: NotRequired[str | None]
    # ISO 4217 alpha-3, upper case.
    currencyCode: CurrencyCode
    # Minor units, at least 1. Required unless the order has a total, which it overrides.
    amount: NotRequired[int | None]
    # Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.
    metadata: NotRequired[dict[str, Any] | None]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[Customer | None]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[Order | None]
    # How the customer pays.
    paymentMethod: NotRequired[CreatePaymentLinkPaymentMethod | None]
    # The agreement that charges the payment method from the payment on, in place of its old one.
    agreementId: NotRequired[str | None]
    # When the link no longer takes a payment: RFC 3339, at most 90 days from now; 7 days without it.
    expiresAt: NotRequired[str | None]


class CreatedClientSessionWarnings(TypedDict):
    # FIELDS_OVERWRITTEN: the request replaced an object, and fields of it that the request did not name were dropped. AMOUNT_NOT_TAKEN: methods are not offered, because no connection takes the amount.
    code: Literal["FIELDS_OVERWRITTEN", "AMOUNT_NOT_TAKEN"] | str
    # JSONPaths of the dropped fields.
    paths: list[str]
    # Of AMOUNT_NOT_TAKEN: the methods that the checkout does not offer.
    description: NotRequired[str]


class CreatedClientSession(TypedDict):
    # Your reference for the order.
    orderId: NotRequired[str]
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]
    # Minor units: the explicit amount if one was set, otherwise the sum of lines, fees and shipping.
    amount: NotRequired[int]
    # The page to which the customer returns after an action on another page: an absolute URL of any scheme except `javascript`, `data` and `vbscript`.
    returnUrl: NotRequired[str]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any]]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[AnsweredCustomer]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[AnsweredOrder]
    # How the customer pays.
    paymentMethod: NotRequired[AnsweredPaymentMethodOptions]
    # What the customer is asked to agree to: later charges of the payment method.
    agreement: NotRequired[AnsweredProposedAgreement]
    # The agreement that the payment charges, or begins.
    agreementId: NotRequired[str]
    # The client token for the checkout in the browser and for later calls about the session, valid for 24 hours.
    clientToken: str
    # When the client token expires.
    clientTokenExpirationDate: str
    # Effects of the request that may be unintended.
    warnings: NotRequired[list[CreatedClientSessionWarnings]]


class Customer(TypedDict):
    # The customer's e-mail address.
    emailAddress: NotRequired[str | None]
    # The customer's mobile number.
    mobileNumber: NotRequired[str | None]
    # First name.
    firstName: NotRequired[str | None]
    # Last name.
    lastName: NotRequired[str | None]
    # The customer's tax number.
    taxId: NotRequired[str | None]
    # The customer's national document number.
    nationalDocumentId: NotRequired[str | None]
    # The address on the card's statements.
    billingAddress: NotRequired[Address | None]
    # The address to which the order is sent.
    shippingAddress: NotRequired[Address | None]


class DisputeEvidence(TypedDict):
    """Your evidence, saved or sent."""

    # Your words for the issuer.
    text: str
    # The customer's e-mail address, if it helps.
    customerEmail: NotRequired[str]
    # The tracking number of the parcel.
    shippingTrackingNumber: NotRequired[str]
    # True if the processor has the evidence.
    submitted: bool


class Dispute(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # OPEN: you can respond. CHALLENGED: the issuer decides. A decided one may open again in a later round.
    status: Literal["OPEN", "CHALLENGED", "ACCEPTED", "EXPIRED", "WON", "LOST", "PREVENTED"] | str
    # Counted from 1. A dispute that was decided may open again in a later round, with a new deadline.
    round: int
    # The type of this round.
    type: Literal["RETRIEVAL", "DISPUTE", "PREARBITRATION", "APPEAL"] | str
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # For a prevented dispute, the amount that the processor refunded because of the dispute.
    amountRefunded: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: str
    # The reason, in the words of the processor.
    reason: NotRequired[str]
    # The reason as the card network codes it.
    reasonCode: NotRequired[str]
    # When the customer opened the dispute.
    openedAt: str
    # The deadline for a challenge.
    challengeRequiredBy: NotRequired[str]
    # Your evidence, saved or sent.
    evidence: NotRequired[DisputeEvidence]
    # The reason of the status, if there is one.
    statusReason: NotRequired[StatusReason]


class DisputeAcceptance(TypedDict):
    pass


class DisputeEvidence(TypedDict):
    # Your words for the issuer; they replace the saved draft.
    text: str
    # The customer's e-mail address, if it helps.
    customerEmail: NotRequired[str | None]
    # The tracking number of the parcel.
    shippingTrackingNumber: NotRequired[str | None]
    # True to send the evidence to the processor, which happens only once. Otherwise it is saved as a draft that can be changed.
    submit: NotRequired[bool | None]


class DryRunErrorValidationErrorsErrors(TypedDict):
    # JSONPath from `$`.
    path: str
    # The rule that the value breaks, in a sentence.
    description: str


class DryRunErrorValidationErrors(TypedDict):
    # The schema of the part that was sent.
    model: str
    # All violations at once.
    errors: list[DryRunErrorValidationErrorsErrors]


class DryRunError(TypedDict):
    """The error of the call without `dryRun`; absent if it is allowed."""

    # Stable, for programs; the description is for people. New ones may be added.
    errorId: Literal["MalformedJson", "UnsupportedApiVersion", "MetadataContainsEmptyKey", "ClientSessionValidationError", "InvalidPaymentInstrumentToken", "InvalidPaymentStatus", "InvalidDisputeStatus", "InvalidAgreementStatus", "IncorrectPaymentAuthorizationType", "InvalidCursor", "ConflictingCredentials", "ConflictingIdempotencyKeys", "Unauthorized", "InsufficientScope", "NotFound", "MethodNotAllowed", "Conflict", "ClientSessionCompleted", "AmountChanged", "PaymentOperationInProgress", "PaymentAlreadyRefunded", "PaymentDisputed", "RetryNotAllowed", "PaymentInstrumentVaultedElsewhere", "IdempotencyKeyInProgress", "PreconditionFailed", "PayloadTooLarge", "UnsupportedMediaType", "RequestValidationError", "FieldNotUpdatable", "CardNumberNotAllowed", "UnprocessableCaptureAmount", "UnprocessableRefundAmount", "CaptureDeclined", "CancellationDeclined", "RefundDeclined", "AdjustmentDeclined", "ConsentMissing", "OutsideAgreementTerms", "PeriodKeyReused", "InitialPaymentNotUsable", "OperationNotSupported", "EvidenceLimitReached", "IdempotencyKeyReused", "TooManyRequests", "InternalError", "ServiceUnavailable"] | str
    # The error in a sentence.
    description: str
    # A step that may help.
    recoverySuggestion: NotRequired[str]
    # Finds the request in the log.
    diagnosticsId: str
    # Every violation of the schema, at once.
    validationErrors: NotRequired[list[DryRunErrorValidationErrors]]
    # The payment that the error is about, or that blocks the request.
    paymentId: NotRequired[str]
    # The payment's status.
    paymentStatus: NotRequired[str]
    # Only with AmountChanged: the current amount of the session, in minor units.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]
    # The reason of the status, if there is one.
    statusReason: NotRequired[ErrorStatusReason]
    # The status of the agreement.
    agreementStatus: NotRequired[str]
    # Of a suspended agreement: what the customer has to do.
    action: NotRequired[str]
    # When the next try of the period may begin.
    notBefore: NotRequired[str]
    # Why the period cannot be tried before.
    because: NotRequired[RetryBecause]
    # The HTTP status of the response.
    status: int


class DryRunConnection(TypedDict):
    """The connection that would be asked."""

    # The id of the connection; the built-in sandbox has its name.
    id: str
    # Your name of the connection.
    name: str
    # The processor to which the connection leads.
    processor: str
    # Why this connection would be asked, in sentences.
    because: str


class DryRunFallbacks(TypedDict):
    # The id of the connection; the built-in sandbox has its name.
    id: str
    # Your name of the connection.
    name: str
    # The processor to which the connection leads.
    processor: str


class DryRun(TypedDict):
    # True if the service would ask the processor. The processor or the issuer may still decline.
    allowed: bool
    # The operation that was tried out.
    operation: Literal["authorization", "capture", "cancellation", "refund"] | str
    # The error of the call without `dryRun`; absent if it is allowed.
    error: NotRequired[DryRunError]
    # The kind of rule that refuses it; new ones may be added.
    rule: NotRequired[Literal["SCOPE", "TOKEN", "SESSION", "TERMS", "LIMIT", "CIRCUIT", "SUPPORT", "STATUS", "IN_PROGRESS", "AMOUNT", "DISPUTE", "OTHER"] | str]
    # What the operation holds, captures, releases or refunds, minor units; absent where it is not known.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]
    # What the customer would pay by it, minor units: 0 where the amount is only held.
    charged: NotRequired[int]
    # The connection that would be asked.
    connection: NotRequired[DryRunConnection]
    # The connections that may be asked after a refusal there, in this order.
    fallbacks: NotRequired[list[DryRunFallbacks]]
    # Present if the call asks the processor about earlier attempts first: its result may be another one.
    unknownAttempts: NotRequired[bool]


class ErrorErrorValidationErrorsErrors(TypedDict):
    # JSONPath from `$`.
    path: str
    # The rule that the value breaks, in a sentence.
    description: str


class ErrorErrorValidationErrors(TypedDict):
    # The schema of the part that was sent.
    model: str
    # All violations at once.
    errors: list[ErrorErrorValidationErrorsErrors]


class ErrorError(TypedDict):
    """The error."""

    # Stable, for programs; the description is for people. New ones may be added.
    errorId: Literal["MalformedJson", "UnsupportedApiVersion", "MetadataContainsEmptyKey", "ClientSessionValidationError", "InvalidPaymentInstrumentToken", "InvalidPaymentStatus", "InvalidDisputeStatus", "InvalidAgreementStatus", "IncorrectPaymentAuthorizationType", "InvalidCursor", "ConflictingCredentials", "ConflictingIdempotencyKeys", "Unauthorized", "InsufficientScope", "NotFound", "MethodNotAllowed", "Conflict", "ClientSessionCompleted", "AmountChanged", "PaymentOperationInProgress", "PaymentAlreadyRefunded", "PaymentDisputed", "RetryNotAllowed", "PaymentInstrumentVaultedElsewhere", "IdempotencyKeyInProgress", "PreconditionFailed", "PayloadTooLarge", "UnsupportedMediaType", "RequestValidationError", "FieldNotUpdatable", "CardNumberNotAllowed", "UnprocessableCaptureAmount", "UnprocessableRefundAmount", "CaptureDeclined", "CancellationDeclined", "RefundDeclined", "AdjustmentDeclined", "ConsentMissing", "OutsideAgreementTerms", "PeriodKeyReused", "InitialPaymentNotUsable", "OperationNotSupported", "EvidenceLimitReached", "IdempotencyKeyReused", "TooManyRequests", "InternalError", "ServiceUnavailable"] | str
    # The error in a sentence.
    description: str
    # A step that may help.
    recoverySuggestion: NotRequired[str]
    # Finds the request in the log.
    diagnosticsId: str
    # Every violation of the schema, at once.
    validationErrors: NotRequired[list[ErrorErrorValidationErrors]]
    # The payment that the error is about, or that blocks the request.
    paymentId: NotRequired[str]
    # The payment's status.
    paymentStatus: NotRequired[str]
    # Only with AmountChanged: the current amount of the session, in minor units.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]
    # The reason of the status, if there is one.
    statusReason: NotRequired[ErrorStatusReason]
    # The status of the agreement.
    agreementStatus: NotRequired[str]
    # Of a suspended agreement: what the customer has to do.
    action: NotRequired[str]
    # When the next try of the period may begin.
    notBefore: NotRequired[str]
    # Why the period cannot be tried before.
    because: NotRequired[RetryBecause]


class Error(TypedDict):
    # The error.
    error: ErrorError


class ErrorStatusReason(TypedDict):
    # The kind of reason; new ones may be added.
    type: Literal["ISSUER_DECLINE", "GATEWAY_TIMEOUT", "GATEWAY_UNAVAILABLE", "AWAITING_FUNDS", "PAYMENT_EXPIRED", "APPLICATION_ERROR", "AUTHENTICATION_REQUIRED"] | str
    # SOFT: another attempt may succeed. HARD: it will not.
    declineType: NotRequired[Literal["SOFT", "HARD"] | str]
    # The issuer's or the service's code for the reason.
    code: NotRequired[str]
    # The reason in a sentence.
    message: NotRequired[str]
    # The next step that is worth trying, in a sentence for the merchant.
    advisedAction: NotRequired[str]


class Fee(TypedDict):
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # The purpose of the fee.
    type: NotRequired[str | None]
    # Your description.
    description: NotRequired[str | None]


class FeeInput(TypedDict):
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # The purpose of the fee.
    type: NotRequired[str]
    # Your description.
    description: NotRequired[str]


class IssueClientToken(TypedDict):
    # The client token from the response that created the session.
    clientToken: str


class LineItemProductData(TypedDict):
    # Your stock keeping unit.
    sku: NotRequired[str | None]
    # The brand of the product.
    brand: NotRequired[str | None]
    # The color of the product.
    color: NotRequired[str | None]
    # GTIN: the number under the bar code.
    globalTradeItemNumber: NotRequired[str | None]
    # The manufacturer's own number.
    manufacturerPartNumber: NotRequired[str | None]
    # The weight of one unit.
    weight: NotRequired[float | None]
    # The unit of the weight.
    weightUnit: NotRequired[str | None]
    # The page of the product.
    pageUrl: NotRequired[str | None]


class LineItem(TypedDict):
    # The price of one unit, in minor units.
    amount: int
    # The number of units; 1 without it.
    quantity: NotRequired[int | None]
    # The discount on the whole line, minor units.
    discountAmount: NotRequired[int | None]
    # The tax on the whole line, minor units.
    taxAmount: NotRequired[int | None]
    # Your id of the item.
    itemId: NotRequired[str | None]
    # The name of the item.
    name: NotRequired[str | None]
    # Your description.
    description: NotRequired[str | None]
    # The tax code of the item.
    taxCode: NotRequired[str | None]
    # The kind of product: physical, which is shipped, or digital.
    productType: NotRequired[Literal["PHYSICAL", "DIGITAL"] | None]
    # More about the product.
    productData: NotRequired[LineItemProductData | None]


class LineItemInputProductData(TypedDict):
    """More about the product."""

    # Your stock keeping unit.
    sku: NotRequired[str]
    # The brand of the product.
    brand: NotRequired[str]
    # The color of the product.
    color: NotRequired[str]
    # GTIN: the number under the bar code.
    globalTradeItemNumber: NotRequired[str]
    # The manufacturer's own number.
    manufacturerPartNumber: NotRequired[str]
    # The weight of one unit.
    weight: NotRequired[float]
    # The unit of the weight.
    weightUnit: NotRequired[str]
    # The page of the product.
    pageUrl: NotRequired[str]


class LineItemInput(TypedDict):
    # The price of one unit, in minor units.
    amount: int
    # The number of units; 1 without it.
    quantity: NotRequired[int]
    # The discount on the whole line, minor units.
    discountAmount: NotRequired[int]
    # The tax on the whole line, minor units.
    taxAmount: NotRequired[int]
    # Your id of the item.
    itemId: NotRequired[str]
    # The name of the item.
    name: NotRequired[str]
    # Your description.
    description: NotRequired[str]
    # The tax code of the item.
    taxCode: NotRequired[str]
    # The kind of product: physical, which is shipped, or digital.
    productType: NotRequired[Literal["PHYSICAL", "DIGITAL"]]
    # More about the product.
    productData: NotRequired[LineItemInputProductData]


class MessageList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[PaymentMessage | AgreementMessage]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class Order(TypedDict):
    # The goods and services of the order; all fields of a session together have at most 512 KiB of JSON.
    lineItems: NotRequired[list[LineItem] | None]
    # The country of the order: ISO 3166-1 alpha-2.
    countryCode: NotRequired[CountryCode | None]
    # The country of the seller: ISO 3166-1 alpha-2.
    retailerCountryCode: NotRequired[CountryCode | None]
    # Charges in addition to the lines.
    fees: NotRequired[list[Fee] | None]
    # The shipping method.
    shipping: NotRequired[Shipping | None]


class PatchAgreementTerms(TypedDict):
    """All of the terms, in the place of those before."""

    # EXACT: `amount` for each period. MAXIMUM: at most `amount`. VARIABLE: any amount.
    amountRule: Literal["EXACT", "MAXIMUM", "VARIABLE"]
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: CurrencyCode
    # How long a period is; absent for UNSCHEDULED, whose periods have no length.
    frequency: NotRequired[Literal["DAY", "WEEK", "MONTH", "YEAR"]]
    # How many times `frequency` a period is; 1 if left out.
    interval: NotRequired[int]
    # The most periods that may be charged; the agreement ends with the last one.
    count: NotRequired[int]
    # When the first period of these terms begins. Left out: as before, or with the next period where `frequency` or `interval` changes.
    startsAt: NotRequired[str]
    # When the agreement can no longer be charged.
    endsAt: NotRequired[str]
    # What the customer agreed to, in a few words.
    description: str


class PatchAgreementConsent(TypedDict):
    """A new consent: required where more may be charged than before."""

    # When the customer agreed.
    acceptedAt: str
    # How the customer agreed.
    channel: Literal["ONLINE", "PAPER", "PHONE"]
    # The SHA-256 of the text that the customer agreed to, in lower-case hex.
    textDigest: str
    # Where the text can be read.
    textUrl: NotRequired[str]
    # The address from which the customer agreed.
    ipAddress: NotRequired[str]
    # The browser in which the customer agreed.
    userAgent: NotRequired[str]


class PatchAgreementRetry(TypedDict):
    # Who tries a declined period again. NONE: your own calls. ADVISED: the service, when the network says, otherwise after 1, 3, 5 and 7 days. DAYS: the service, after `days`.
    policy: Literal["NONE", "ADVISED", "DAYS"]
    # With DAYS: the waits between the tries, in days.
    days: NotRequired[list[int]]


class PatchAgreement(TypedDict):
    # All of the terms, in the place of those before.
    terms: NotRequired[PatchAgreementTerms]
    # When you told the customer of the terms: required without a new consent.
    noticeGivenAt: NotRequired[str]
    # A new consent: required where more may be charged than before.
    consent: NotRequired[PatchAgreementConsent]
    # Whether the service tries declined periods again; null: not.
    retry: NotRequired[PatchAgreementRetry | None]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any] | None]


class PatchClientSessionCustomerBillingAddress(TypedDict):
    # First name.
    firstName: NotRequired[str | None]
    # Last name.
    lastName: NotRequired[str | None]
    # Street and number.
    addressLine1: NotRequired[str | None]
    # Flat, floor or company.
    addressLine2: NotRequired[str | None]
    # City or town.
    city: NotRequired[str | None]
    # State, province or region.
    state: NotRequired[str | None]
    # Postal code.
    postalCode: NotRequired[str | None]
    # ISO 3166-1 alpha-2.
    countryCode: NotRequired[CountryCode | None]


class PatchClientSessionCustomerShippingAddress(TypedDict):
    # First name.
    firstName: NotRequired[str | None]
    # Last name.
    lastName: NotRequired[str | None]
    # Street and number.
    addressLine1: NotRequired[str | None]
    # Flat, floor or company.
    addressLine2: NotRequired[str | None]
    # City or town.
    city: NotRequired[str | None]
    # State, province or region.
    state: NotRequired[str | None]
    # Postal code.
    postalCode: NotRequired[str | None]
    # ISO 3166-1 alpha-2.
    countryCode: NotRequired[CountryCode | None]


class PatchClientSessionCustomer(TypedDict):
    # The customer's e-mail address.
    emailAddress: NotRequired[str | None]
    # The customer's mobile number.
    mobileNumber: NotRequired[str | None]
    # First name.
    firstName: NotRequired[str | None]
    # Last name.
    lastName: NotRequired[str | None]
    # The customer's tax number.
    taxId: NotRequired[str | None]
    # The customer's national document number.
    nationalDocumentId: NotRequired[str | None]
    # The address on the card's statements.
    billingAddress: NotRequired[PatchClientSessionCustomerBillingAddress | None]
    # The address to which the order is sent.
    shippingAddress: NotRequired[PatchClientSessionCustomerShippingAddress | None]


class PatchClientSessionOrderShipping(TypedDict):
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int | None]
    # Your id of the shipping method.
    methodId: NotRequired[str | None]
    # The name of the shipping method.
    methodName: NotRequired[str | None]
    # The text for the shipping method.
    methodDescription: NotRequired[str | None]


class PatchClientSessionOrder(TypedDict):
    # The goods and services of the order; all fields of a session together have at most 512 KiB of JSON.
    lineItems: NotRequired[list[LineItemInput] | None]
    # The country of the order: ISO 3166-1 alpha-2.
    countryCode: NotRequired[CountryCode | None]
    # The country of the seller: ISO 3166-1 alpha-2.
    retailerCountryCode: NotRequired[CountryCode | None]
    # Charges in addition to the lines.
    fees: NotRequired[list[FeeInput] | None]
    # The shipping method.
    shipping: NotRequired[PatchClientSessionOrderShipping | None]


class PatchClientSessionPaymentMethod(TypedDict):
    # Vaults the card for the customer when the payment is authorized; needs a customerId. Default: false.
    vaultOnSuccess: NotRequired[bool | None]
    # MANUAL (default): a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture).
    captureMode: NotRequired[Literal["MANUAL", "AUTOMATIC"] | None]
    # The text on the customer's statement, where the processor can show it.
    descriptor: NotRequired[str | None]
    # The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without the customer, who is never asked to act; in the checkout the customer is present with any type.
    paymentType: NotRequired[Literal["FIRST_PAYMENT", "ECOMMERCE", "SUBSCRIPTION", "UNSCHEDULED"] | None]
    # The card networks to offer, in this order; without it: all.
    orderedAllowedCardNetworks: NotRequired[list[Literal["VISA", "MASTERCARD", "AMEX", "DISCOVER", "OTHER"]] | None]
    # FINAL (default): the amount is known. ESTIMATED: it can be adjusted until the capture.
    authorizationType: NotRequired[Literal["FINAL", "ESTIMATED"] | None]
    # The methods of payment to offer, in this order; without it, or empty: all that can pay the session.
    orderedAllowedMethods: NotRequired[list[Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO", "APPLE_PAY", "GOOGLE_PAY"]] | None]
    # Options of each payment method, by its type. They are set when the session is created and never change.
    options: NotRequired[dict[str, Any] | None]


class PatchClientSession(TypedDict):
    # Your reference for the order.
    orderId: NotRequired[str | None]
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str | None]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[CurrencyCode | None]
    # Minor units. Overrides the calculated amount; null restores the calculated amount.
    amount: NotRequired[int | None]
    # The page to which the customer returns after an action on another page: an absolute URL of any scheme except `javascript`, `data` and `vbscript`.
    returnUrl: NotRequired[str | None]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any] | None]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[PatchClientSessionCustomer | None]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[PatchClientSessionOrder | None]
    # How the customer pays.
    paymentMethod: NotRequired[PatchClientSessionPaymentMethod | None]
    # What the customer is asked to agree to: later charges of the payment method.
    agreement: NotRequired[ProposedAgreementInput | None]
    # The client token from the response that created the session.
    clientToken: str


class PaymentPaymentMethod(TypedDict):
    """How the customer pays."""

    # The token of a card: single use, or vaulted.
    paymentMethodToken: str
    # PAYMENT_CARD, IDEAL and others; new ones may be added.
    paymentMethodType: Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO"] | str
    # The card, masked, or what is known of another method; absent where nothing is.
    paymentMethodData: NotRequired[PaymentMethodData]
    # True if the card was vaulted before the payment or by it.
    isVaulted: bool
    # The text on the customer's statement, where the processor can show it.
    descriptor: NotRequired[str]
    # The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without the customer, who is never asked to act; in the checkout the customer is present with any type.
    paymentType: NotRequired[Literal["FIRST_PAYMENT", "ECOMMERCE", "SUBSCRIPTION", "UNSCHEDULED"] | str]
    # FINAL (default): the amount is known. ESTIMATED: it can be adjusted until the capture.
    authorizationType: Literal["FINAL", "ESTIMATED"] | str
    # MANUAL (default): a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture).
    captureMode: Literal["MANUAL", "AUTOMATIC"] | str
    # The result of 3-D Secure, if it was used.
    threeDSecureAuthentication: NotRequired[ThreeDSecureAuthentication]


class Payment(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # When its first event was recorded.
    date: str
    # When its newest event was recorded.
    dateUpdated: str
    # The current status.
    status: PaymentStatus
    # False while an operation of the payment, or a response to a dispute, is in progress, pending or of unknown outcome: money may still move.
    outcomeKnown: bool
    # Your reference for the order.
    orderId: str
    # ISO 4217 alpha-3, upper case.
    currencyCode: KnownCurrencyCodeOutput
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str]
    # The agreement that the payment charges, or begins.
    agreementId: NotRequired[str]
    # Your name of the period, such as `2026-12`: it is charged once, for ever.
    periodKey: NotRequired[str]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[AnsweredCustomer]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[AnsweredOrder]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any]]
    # How the customer pays.
    paymentMethod: PaymentPaymentMethod
    # The state of the payment at the processor.
    processor: PaymentProcessor
    # The action that the customer must take before the payment continues; absent if none is required.
    requiredAction: NotRequired[RequiredAction]
    # The reason of the status, if there is one.
    statusReason: NotRequired[StatusReason]
    # One SALE, then one REFUND for each refund.
    transactions: list[Transaction]
    # The number of older refunds that were left out; the events of the payment include them.
    transactionsOmitted: NotRequired[int]
    # The disputes that the customer opened with the issuer, oldest first.
    disputes: NotRequired[list[Dispute]]
    # The number of the newest event: the ETag without quotes.
    version: int


class PaymentEventActor(TypedDict):
    """The actor that caused it: an API key, a checkout, a processor, an operator, or the service itself."""

    # The kind of actor.
    kind: Literal["apiKey", "checkout", "operator", "policy", "processor", "user"] | str
    # The id of the key, session, processor or operator.
    id: str


class PaymentEvent(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # The kind of fact; new types may be added.
    type: str
    # When it was recorded.
    date: str
    # The number of the event in its stream, from 0. The number of the newest event is the payment's version.
    revision: int
    # The actor that caused it: an API key, a checkout, a processor, an operator, or the service itself.
    actor: PaymentEventActor
    # The public part of the event; its fields depend on the type.
    data: dict[str, Any]


class PaymentEventList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[PaymentEvent]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class PaymentInstrument(TypedDict):
    # The token, which pays in place of the card number.
    token: str
    # SINGLE_USE: pays once, within 24 hours. MULTI_USE: vaulted and reusable.
    tokenType: Literal["SINGLE_USE", "MULTI_USE"] | str
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str]
    # PAYMENT_CARD, IDEAL and others; new ones may be added.
    paymentMethodType: Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO"] | str
    # The card, masked, or what is known of another method; absent where nothing is.
    paymentMethodData: NotRequired[PaymentMethodData]
    # Your description.
    description: NotRequired[str]
    # True if this is the customer's default.
    default: bool
    # A single-use token that was used for a payment, or for a card that the customer had already vaulted.
    used: bool
    # A single-use token that was not used within 24 hours.
    expired: bool
    # True if it was deleted; a deleted one can still be read.
    deleted: bool
    # When it was created.
    createdAt: str
    # Since when the card or the account is known to be closed: it cannot be charged.
    closedAt: NotRequired[str]
    # When it was deleted.
    deletedAt: NotRequired[str]


class PaymentInstrumentList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[PaymentInstrument]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class PaymentItemPaymentMethod(TypedDict):
    """How the customer pays."""

    # PAYMENT_CARD, IDEAL and others; new ones may be added.
    paymentMethodType: Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO"] | str
    # The card, masked, or what is known of another method; absent where nothing is.
    paymentMethodData: NotRequired[PaymentMethodData]


class PaymentItem(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # When its first event was recorded.
    date: str
    # When its newest event was recorded.
    dateUpdated: str
    # The current status.
    status: PaymentStatus
    # Your reference for the order.
    orderId: str
    # ISO 4217 alpha-3, upper case.
    currencyCode: KnownCurrencyCodeOutput
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: NotRequired[str]
    # The state of the payment at the processor.
    processor: PaymentProcessor
    # How the customer pays.
    paymentMethod: PaymentItemPaymentMethod
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any]]
    # The number of the newest event: the ETag without quotes.
    version: int


class PaymentLinkPayment(TypedDict):
    """The payment that the link has, unless it was declined, failed or was cancelled."""

    # The id; opaque and unguessable.
    id: str
    # The current status.
    status: PaymentStatus


class PaymentLink(TypedDict):
    # Your reference for the order.
    orderId: NotRequired[str]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # Yours: any JSON, stored word for word; keys of 1 to 64 characters, 8 levels, 16 KiB.
    metadata: NotRequired[dict[str, Any]]
    # The customer; in a payment, the session’s and the request’s together.
    customer: NotRequired[AnsweredCustomer]
    # The goods, fees and shipping of the purchase.
    order: NotRequired[AnsweredOrder]
    # How the customer pays.
    paymentMethod: NotRequired[AnsweredPaymentMethodOptions]
    # The agreement that charges the payment method from the payment on.
    agreementId: NotRequired[str]
    # The id; opaque and unguessable.
    id: str
    # The page that takes the payment. Send it to the customer alone.
    url: str
    # The current status.
    status: PaymentLinkStatus
    # When it was created.
    createdAt: str
    # When the link no longer takes a payment.
    expiresAt: str
    # When the link was cancelled.
    cancelledAt: NotRequired[str]
    # The payment that the link has, unless it was declined, failed or was cancelled.
    payment: NotRequired[PaymentLinkPayment]


class PaymentLinkList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[PaymentLink]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class PaymentList(TypedDict):
    # The items, in the order that the summary describes.
    data: list[PaymentItem]
    # The cursor of the next page; absent if there are no more payments. A page with a next page may be shorter than `limit`, or even empty: it looks at no more than 1,000 payments along its most selective filter, and has at most 1 MiB.
    nextCursor: NotRequired[str]


class PaymentMessage(TypedDict):
    # The id of the event; a webhook carries it as `webhook-id`.
    eventId: str
    # The type of the message; new types may be added.
    eventType: Literal["PAYMENT.STATUS", "PAYMENT.REFUND", "PAYMENT.CAPTURE.FAILED", "PAYMENT.REFUND.FAILED", "PAYMENT.CANCELLATION.FAILED", "PAYMENT.ADJUSTMENT.FAILED", "DISPUTE.OPENED", "DISPUTE.STATUS"] | str
    # When it was recorded.
    date: str
    # The version of the API that defines the payment object.
    version: str
    # The version of the payment that the message reports.
    sequence: int
    # The payment as it was at `sequence`.
    payment: Payment


class PaymentMethodOptions(TypedDict):
    # Vaults the card for the customer when the payment is authorized; needs a customerId. Default: false.
    vaultOnSuccess: NotRequired[bool | None]
    # MANUAL (default): a capture follows by its own call. AUTOMATIC: captured as soon as it is authorized (needs transactions:capture).
    captureMode: NotRequired[Literal["MANUAL", "AUTOMATIC"] | None]
    # The text on the customer's statement, where the processor can show it.
    descriptor: NotRequired[str | None]
    # The kind of payment to the card networks. SUBSCRIPTION and UNSCHEDULED charge a saved card without the customer, who is never asked to act; in the checkout the customer is present with any type.
    paymentType: NotRequired[Literal["FIRST_PAYMENT", "ECOMMERCE", "SUBSCRIPTION", "UNSCHEDULED"] | None]
    # The card networks to offer, in this order; without it: all.
    orderedAllowedCardNetworks: NotRequired[list[Literal["VISA", "MASTERCARD", "AMEX", "DISCOVER", "OTHER"]] | None]
    # FINAL (default): the amount is known. ESTIMATED: it can be adjusted until the capture.
    authorizationType: NotRequired[Literal["FINAL", "ESTIMATED"] | None]
    # The methods of payment to offer, in this order; without it, or empty: all that can pay the session.
    orderedAllowedMethods: NotRequired[list[Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO", "APPLE_PAY", "GOOGLE_PAY"]] | None]
    # Maps payment method types to objects of options.
    options: NotRequired[dict[str, Any] | None]


class PaymentProcessor(TypedDict):
    # The processor that has the payment.
    name: str
    # The processor's own id of the transaction.
    processorTransactionId: NotRequired[str]
    # The amount that the issuer holds or held, minor units.
    amountAuthorized: int
    # The amount that a capture may still take, minor units.
    amountCapturable: int
    # The captured amount, minor units.
    amountCaptured: int
    # The amount that can still be refunded, minor units: captured, less refunded and pending refunds.
    amountRefundable: int
    # The refunded amount, minor units; pending refunds are not counted.
    amountRefunded: int
    # The issuer's check of the billing address.
    avsResult: NotRequired[Literal["MATCH", "NO_MATCH", "NOT_CHECKED", "UNAVAILABLE"] | str]
    # The issuer's check of the card verification code.
    cvcResult: NotRequired[Literal["MATCH", "NO_MATCH", "NOT_CHECKED", "UNAVAILABLE"] | str]


class PaymentWhy(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # The current status.
    status: PaymentStatus
    # The number of the newest event: the ETag without quotes.
    version: int
    # The items, in the order that the summary describes.
    data: list[PaymentWhyStep]
    # The `cursor` of the next page; absent on the last page.
    nextCursor: NotRequired[str]


class PaymentWhyStepBy(TypedDict):
    """The actor that caused the step."""

    # The kind of actor.
    kind: Literal["apiKey", "checkout", "operator", "policy", "processor", "user"] | str
    # The id of the key, session, user, processor or operator.
    id: str
    # The name of the API key.
    name: NotRequired[str]


class PaymentWhyStepCall(TypedDict):
    """What the processor was asked to do, under our reference."""

    # The operation of the payment; `dispute_answer` is the response to a dispute.
    operation: Literal["authorization", "capture", "cancellation", "refund", "adjustment", "dispute_answer"] | str
    # The name of the processor.
    processor: str
    # Our id of the attempt, as sent to the processor.
    reference: str
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]


class PaymentWhyStepTold(TypedDict):
    """The outcome of an operation, as the processor or a person reported it."""

    # The source of the outcome: the response, a look-up, a notification, or a manual confirmation.
    source: Literal["answer", "lookup", "notification", "operator"] | str
    # The operation that the processor was asked to perform.
    operation: NotRequired[Literal["authorization", "capture", "cancellation", "refund", "adjustment", "dispute_answer"] | str]
    # The outcome of the operation.
    outcome: str
    # Our id of the attempt, as sent to the processor.
    reference: NotRequired[str]
    # The processor's own id of the transaction.
    processorTransactionId: NotRequired[str]
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: NotRequired[str]
    # The issuer's or the service's code for the reason.
    code: NotRequired[str]
    # Further details of the observation.
    detail: NotRequired[str]
    # When the call or the look-up was sent.
    sentAt: NotRequired[str]
    # When the operation happened, by the processor’s own clock.
    occurredAt: NotRequired[str]


class PaymentWhyStepNotification(TypedDict):
    """The notification of the processor."""

    # The name of the processor.
    processor: str
    # The processor’s own id of the notification.
    notificationId: str
    # When the notification arrived.
    receivedAt: str
    # The status of the notification after the step.
    status: Literal["received", "parked", "applied", "discarded"] | str


PaymentWhyStepChanged = TypedDict("PaymentWhyStepChanged", {"member": 'Literal["status", "amountAuthorized", "amountCapturable", "amountCaptured", "amountRefundable", "amountRefunded"] | str', "from": NotRequired['str | int'], "to": 'str | int'})


class PaymentWhyStep(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # ASKED: a request. DECIDED: a decision of the service. ANSWERED: the response to a call. LOOKED_UP: a look-up. NOTIFIED: a notification. RESOLVED: a manual confirmation.
    kind: Literal["ASKED", "DECIDED", "ANSWERED", "LOOKED_UP", "NOTIFIED", "RESOLVED"] | str
    # The kind of fact, as in the history of the payment; new ones may be added.
    type: str
    # The step in a sentence.
    words: str
    # When it was recorded.
    date: str
    # The number of the event in the payment’s history; absent for a notification.
    revision: NotRequired[int]
    # The actor that caused the step.
    by: PaymentWhyStepBy
    # The `X-Request-Id` of the first request, or the id of the work that came first.
    requestId: str
    # The id of the step that led to this one; absent if the request itself did.
    causedBy: NotRequired[str]
    # What the processor was asked to do, under our reference.
    call: NotRequired[PaymentWhyStepCall]
    # The outcome of an operation, as the processor or a person reported it.
    told: NotRequired[PaymentWhyStepTold]
    # The notification of the processor.
    notification: NotRequired[PaymentWhyStepNotification]
    # The changes of the status and the amounts.
    changed: NotRequired[list[PaymentWhyStepChanged]]


class ProposedAgreementTerms(TypedDict):
    """What the customer agreed to."""

    # EXACT: `amount` for each period. MAXIMUM: at most `amount`. VARIABLE: any amount.
    amountRule: Literal["EXACT", "MAXIMUM", "VARIABLE"]
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int | None]
    # ISO 4217 alpha-3, upper case.
    currencyCode: CurrencyCode
    # How long a period is; absent for UNSCHEDULED, whose periods have no length.
    frequency: NotRequired[Literal["DAY", "WEEK", "MONTH", "YEAR"] | None]
    # How many times `frequency` a period is; 1 if left out.
    interval: NotRequired[int | None]
    # The most periods that may be charged; the agreement ends with the last one.
    count: NotRequired[int | None]
    # When the first period begins; now if left out.
    startsAt: NotRequired[str | None]
    # When the agreement can no longer be charged.
    endsAt: NotRequired[str | None]
    # What the customer agrees to, in a few words.
    description: str


class ProposedAgreementRetry(TypedDict):
    # Who tries a declined period again. NONE: your own calls. ADVISED: the service, when the network says, otherwise after 1, 3, 5 and 7 days. DAYS: the service, after `days`.
    policy: Literal["NONE", "ADVISED", "DAYS"]
    # With DAYS: the waits between the tries, in days.
    days: NotRequired[list[int] | None]


class ProposedAgreement(TypedDict):
    # RECURRING: at fixed times. INSTALLMENT: parts of one price. UNSCHEDULED: whenever the terms say.
    kind: Literal["RECURRING", "INSTALLMENT", "UNSCHEDULED"]
    # What the customer agreed to.
    terms: ProposedAgreementTerms
    # Whether the service tries declined periods again; not if left out.
    retry: NotRequired[ProposedAgreementRetry | None]
    # Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.
    metadata: NotRequired[dict[str, Any] | None]


class ProposedAgreementInputTerms(TypedDict):
    """What the customer agreed to."""

    # EXACT: `amount` for each period. MAXIMUM: at most `amount`. VARIABLE: any amount.
    amountRule: Literal["EXACT", "MAXIMUM", "VARIABLE"]
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # ISO 4217 alpha-3, upper case.
    currencyCode: CurrencyCode
    # How long a period is; absent for UNSCHEDULED, whose periods have no length.
    frequency: NotRequired[Literal["DAY", "WEEK", "MONTH", "YEAR"]]
    # How many times `frequency` a period is; 1 if left out.
    interval: NotRequired[int]
    # The most periods that may be charged; the agreement ends with the last one.
    count: NotRequired[int]
    # When the first period begins; now if left out.
    startsAt: NotRequired[str]
    # When the agreement can no longer be charged.
    endsAt: NotRequired[str]
    # What the customer agrees to, in a few words.
    description: str


class ProposedAgreementInputRetry(TypedDict):
    """Whether the service tries declined periods again; not if left out."""

    # Who tries a declined period again. NONE: your own calls. ADVISED: the service, when the network says, otherwise after 1, 3, 5 and 7 days. DAYS: the service, after `days`.
    policy: Literal["NONE", "ADVISED", "DAYS"]
    # With DAYS: the waits between the tries, in days.
    days: NotRequired[list[int]]


class ProposedAgreementInput(TypedDict):
    # RECURRING: at fixed times. INSTALLMENT: parts of one price. UNSCHEDULED: whenever the terms say.
    kind: Literal["RECURRING", "INSTALLMENT", "UNSCHEDULED"]
    # What the customer agreed to.
    terms: ProposedAgreementInputTerms
    # Whether the service tries declined periods again; not if left out.
    retry: NotRequired[ProposedAgreementInputRetry]
    # Any JSON; keys of 1 to 64 characters, at most 8 levels and 16 KiB.
    metadata: NotRequired[dict[str, Any]]


class RefundPayment(TypedDict):
    # Minor units, at least 1. Without it: the rest that can be refunded.
    amount: NotRequired[int | None]
    # Your reference for the refund.
    orderId: NotRequired[str | None]
    # The reason, in your words.
    reason: NotRequired[str | None]
    # The id of one capture’s event, to refund that capture; without it the oldest captures are refunded first.
    transactionEventId: NotRequired[str | None]


class ReplaceAgreementInstrument(TypedDict):
    # A successful payment of the customer with the new payment method, saved.
    paymentId: str


class RequiredAction(TypedDict):
    # What the customer has to do.
    name: Literal["3DS_AUTHENTICATION", "PAYMENT_METHOD_REDIRECT", "PAYMENT_METHOD_VOUCHER", "SDK_ACTION"] | str
    # What the customer has to do, in a sentence.
    description: str
    # A client token of the session, with which the browser continues. Valid as long as the action.
    clientToken: NotRequired[str]
    # The page to which the customer is sent.
    url: NotRequired[str]
    # Of a voucher: the numbers to pay with.
    data: NotRequired[dict[str, Any]]
    # Of a voucher: until when it can be paid.
    expiresAt: NotRequired[str]


class ResumePayment(TypedDict):
    # The token from the call of the return URL.
    resumeToken: str


class Shipping(TypedDict):
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int | None]
    # Your id of the shipping method.
    methodId: NotRequired[str | None]
    # The name of the shipping method.
    methodName: NotRequired[str | None]
    # The text for the shipping method.
    methodDescription: NotRequired[str | None]


class StatusReason(TypedDict):
    # The kind of reason; new ones may be added.
    type: Literal["ISSUER_DECLINE", "GATEWAY_TIMEOUT", "GATEWAY_UNAVAILABLE", "APPLICATION_ERROR", "AUTHENTICATION_REQUIRED", "AWAITING_FUNDS", "PAYMENT_EXPIRED"] | str
    # SOFT: another attempt may succeed. HARD: it will not.
    declineType: NotRequired[Literal["SOFT", "HARD"] | str]
    # The issuer's or the service's code for the reason.
    code: NotRequired[str]
    # The reason in a sentence.
    message: NotRequired[str]
    # The next step that is worth trying, in a sentence for the merchant.
    advisedAction: NotRequired[str]


class ThreeDSecureAuthentication(TypedDict):
    # The result of the authentication; new values may be added.
    responseCode: Literal["AUTH_SUCCESS", "AUTH_FAILED"] | str
    # The version of EMV 3-D Secure.
    protocolVersion: NotRequired[str]
    # True if the customer had to act; false: frictionless.
    challengeIssued: NotRequired[bool]
    # The electronic commerce indicator of the card's network.
    eci: NotRequired[str]


class TransactionEvents(TypedDict):
    # The id of the event; a refund names its capture by it.
    id: str
    # AUTHORIZATION, CAPTURE, CANCELLATION, REFUND or ADJUSTMENT with _REQUESTED, _SUCCEEDED, _DECLINED, _PENDING, _NOT_SENT, _UNKNOWN, _NOT_FOUND or _RETURNED; AUTHORIZATION_EXPIRED. New types may be added.
    type: str
    # When it was recorded.
    date: str
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: NotRequired[int]
    # True if this is the last capture; the rest of the authorization is then released.
    final: NotRequired[bool]
    # The source of the knowledge: the response to the call, a look-up, a notification, or an operator.
    evidence: NotRequired[Literal["answer", "lookup", "notification", "operator"] | str]


class Transaction(TypedDict):
    # The id; opaque and unguessable.
    id: str
    # SALE: authorization and captures. REFUND: one refund.
    transactionType: Literal["SALE", "REFUND"] | str
    # In minor units: 1250 for 12.50 EUR; currencies without minor units as they are.
    amount: int
    # ISO 4217 alpha-3, upper case.
    currencyCode: KnownCurrencyCodeOutput
    # The SALE has the payment's status; a REFUND is PENDING, SETTLED or FAILED.
    status: PaymentStatus
    # When the payment was created, or the refund requested.
    date: str
    # Your reference for the order.
    orderId: NotRequired[str]
    # The reason, in your words.
    reason: NotRequired[str]
    # The processor's own id of the transaction.
    processorTransactionId: NotRequired[str]
    # The reason of the status, if there is one.
    statusReason: NotRequired[StatusReason]
    # With `expand=transactions.events`: the facts, oldest first.
    events: NotRequired[list[TransactionEvents]]


class VaultPaymentInstrument(TypedDict):
    # Your id of the customer; payment instruments are vaulted for it.
    customerId: str
    # Your description.
    description: NotRequired[str | None]


class WebhookMessage(TypedDict):
    # The id of the event; a webhook carries it as `webhook-id`.
    eventId: str
    # The type of the message; new types may be added.
    eventType: Literal["PAYMENT.STATUS", "PAYMENT.REFUND", "PAYMENT.CAPTURE.FAILED", "PAYMENT.REFUND.FAILED", "PAYMENT.CANCELLATION.FAILED", "PAYMENT.ADJUSTMENT.FAILED", "DISPUTE.OPENED", "DISPUTE.STATUS"] | str
    # When it was recorded.
    date: str
    # The version of the API that defines the payment object.
    version: str
    # The version of the payment that the message reports.
    sequence: int
    # The payment as it was at `sequence`, on every delivery.
    payment: Payment
    # The sequence of the previous message for this endpoint and payment; absent in the first message.
    previousSequence: NotRequired[int]


class ListPaymentsFilter(TypedDict):
    # Only these statuses.
    status: NotRequired[list[PaymentStatusInput]]
    # Only these currencies.
    currency_code: NotRequired[list[KnownCurrencyCode]]
    # Only these orders; a comma inside an id is sent as %2C.
    order_id: NotRequired[list[str]]
    # Only these customers; a comma inside an id is sent as %2C.
    customer_id: NotRequired[list[str]]
    # Only these processors.
    processor: NotRequired[list[str]]
    # Only cards with these last four digits.
    last_4_digits: NotRequired[list[str]]
    # Only these payment methods.
    payment_method_type: NotRequired[list[Literal["PAYMENT_CARD", "IDEAL", "BANCONTACT", "KLARNA", "PAYPAL", "SEPA_DEBIT", "MULTIBANCO"]]]
    # Created at this time or later; RFC 3339.
    from_date: NotRequired[str]
    # Created at this time or earlier; RFC 3339.
    to_date: NotRequired[str]
    # At least this amount, minor units; needs currency_code.
    min_amount: NotRequired[int]
    # At most this amount, minor units; needs currency_code.
    max_amount: NotRequired[int]
    # The number of items in a page.
    limit: NotRequired[int]


class ListPaymentEventsFilter(TypedDict):
    # The number of items in a page.
    limit: NotRequired[int]


class ListPaymentLinksFilter(TypedDict):
    # The number of items in a page.
    limit: NotRequired[int]


class ListPaymentInstrumentsFilter(TypedDict):
    # The customer whose instruments are listed.
    customer_id: str
    # The number of items in a page.
    limit: NotRequired[int]


class ListAgreementsFilter(TypedDict):
    # Only these customers; a comma inside an id is sent as %2C.
    customer_id: NotRequired[str]
    # Only these statuses.
    status: NotRequired[AgreementStatusInput]
    # The number of items in a page.
    limit: NotRequired[int]


class ListEventsFilter(TypedDict):
    # The eventId of the last message that you have; without it the list begins with the first message.
    after: NotRequired[str]
    # The number of items in a page.
    limit: NotRequired[int]


class ListCheckpointsFilter(TypedDict):
    # The number of items in a page.
    limit: NotRequired[int]



PaymentMethodData = CardData | BankData | AccountData
