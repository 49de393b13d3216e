<?php declare(strict_types=1);
// A shop in plain PHP: it opens a session, shows the checkout, receives the webhook and refunds.
const CURRENCY = 'EUR'; // amounts are in cents
const CATALOGUE = ['shirt' => ['Linen shirt', 2500], 'mug' => ['Enamel mug', 1200]];
ini_set('display_errors', '0'); // errors are for the log
foreach (['COUNTERFOIL_API_KEY', 'COUNTERFOIL_WEBHOOK_SECRET', 'SHOP_STAFF_TOKEN'] as $name)
    getenv($name) || throw new RuntimeException("Set $name.");
define('COUNTERFOIL_URL', getenv('COUNTERFOIL_URL') ?: 'http://127.0.0.1:4000');
$db = new PDO('sqlite:' . sys_get_temp_dir() . '/counterfoil-shop.db');
$db->exec('CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, amount INTEGER, token TEXT)');
$db->exec('CREATE TABLE IF NOT EXISTS payments (id TEXT PRIMARY KEY, order_id TEXT, status TEXT, amount INTEGER,
    currency TEXT, refunded INTEGER, version INTEGER)');

function rows(string $sql, string|int ...$values): array {
    $statement = $GLOBALS['db']->prepare($sql);
    $statement->execute($values);
    return $statement->fetchAll(PDO::FETCH_ASSOC);
}
function send(int $status, string $text = ''): never { http_response_code($status); exit($text); }

/** The response of the API as an array. Throws for an error of the API, and if no response arrives. */
function api(string $method, string $path, ?array $body = null, string ...$headers): array {
    $curl = curl_init(COUNTERFOIL_URL . $path);
    $headers = [...$headers, 'X-Api-Key: ' . getenv('COUNTERFOIL_API_KEY'), 'Content-Type: application/json'];
    curl_setopt_array($curl, [CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => $headers, CURLOPT_TIMEOUT => 40]);
    curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
    if ($body !== null) curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
    $text = curl_exec($curl);
    $answer = $text === false ? null : json_decode($text, true);
    if (!is_array($answer)) throw new RuntimeException('No response: the call may have had its effect.');
    return isset($answer['error']) ? throw new RuntimeException($answer['error']['description']) : $answer;
}

/** Keeps the newest version of each payment: messages arrive twice, late and out of order. */
function record(array $it): void {
    rows('INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET status = excluded.status,
        amount = excluded.amount, refunded = excluded.refunded, version = excluded.version
        WHERE excluded.version > payments.version', $it['id'], $it['orderId'], $it['status'], $it['amount'],
        $it['currencyCode'], $it['processor']['amountRefunded'], $it['version']);
    error_log("$it[orderId]: $it[status]" . (isset(order($it['orderId'])['payment']) ? ', paid' : ''));
}

/** An order with the payment that took its amount, or null if the order is unknown. */
function order(string $id): ?array {
    return rows("SELECT o.*, p.id AS payment, p.refunded FROM orders o LEFT JOIN payments p ON p.order_id = o.id
        AND p.status = 'SETTLED' AND p.amount = o.amount AND p.currency = ? WHERE o.id = ?", CURRENCY, $id)[0] ?? null;
}

function buy(string $product): never {
    [$name, $amount] = CATALOGUE[$product] ?? send(404, 'Unknown product'); // the browser never names a price
    $id = bin2hex(random_bytes(16));
    $session = api('POST', '/client-session', [
        'orderId' => $id,
        'currencyCode' => CURRENCY,
        'order' => ['lineItems' => [['name' => $name, 'amount' => $amount, 'quantity' => 1]]],
        'paymentMethod' => ['captureMode' => 'AUTOMATIC'], // takes the money with the payment
    ]);
    rows('INSERT INTO orders VALUES (?, ?, ?)', $id, $amount, $session['clientToken']);
    header("Location: /orders/$id");
    send(303);
}

// docs: webhook
function webhook(string $body): never { // the body as it came
    [$id, $time, $given] = array_map(fn ($it) => $_SERVER["HTTP_WEBHOOK_$it"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
    $key = base64_decode(substr(getenv('COUNTERFOIL_WEBHOOK_SECRET'), strlen('whsec_')));
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    $isSigned = array_filter(explode(' ', $given), fn ($it) => hash_equals($right, $it)) !== [];
    if (!$isSigned || strlen($key) < 24 || abs(time() - (int) $time) > 300) send(400, 'Not signed, or too old');
    if ($payment = json_decode($body, true)['payment'] ?? null) record($payment); // others are about agreements
    send(204); // at once: slow work belongs in a queue
}
// docs: end

function refund(array $order): never {
    $staff = 'Bearer ' . getenv('SHOP_STAFF_TOKEN');
    if (!hash_equals($staff, $_SERVER['HTTP_AUTHORIZATION'] ?? '')) send(401, "Only staff can refund.\n");
    if ($order['payment'] === null) send(409, "The order is not paid.\n");
    $once = "X-Idempotency-Key: refund-$order[id]"; // sent twice, it is one refund
    try {
        $now = api('POST', "/payments/$order[payment]/refund", ['amount' => $order['amount']], $once);
    } catch (RuntimeException $fault) {
        send(409, "{$fault->getMessage()}\n");
    }
    record($now);
    send(200, json_encode(['outcomeKnown' => $now['outcomeKnown'], 'refunded' => $now['processor']['amountRefunded']]));
}

$path = strtok($_SERVER['REQUEST_URI'], '?');
$isPost = $_SERVER['REQUEST_METHOD'] === 'POST';
if ($isPost && $path === '/webhooks') webhook(file_get_contents('php://input'));
if ($isPost && $path === '/orders') buy($_POST['product'] ?? '');
$order = order(explode('/', $path)[2] ?? '');
if ($order === null && ($isPost || $path !== '/')) send(404, 'Unknown order');
if ($isPost) refund($order);
if ($order && $order['payment'] === null) // The webhook may be late. The shop asks Counterfoil, and never the page.
    foreach (api('GET', "/payments?order_id=$order[id]&limit=100")['data'] as $payment) record($payment);
$order = order($order['id'] ?? '');
header('Cache-Control: no-store');
?>
<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width"><style>:root { color-scheme: light dark; font: 18px/1.6 system-ui }
body { max-width: 30rem; margin: 2rem auto; padding: 0 1rem } button { font: inherit }</style>
<?php if ($order === null): ?>
<h1>Shop</h1><form method="post" action="/orders"><?php foreach (CATALOGUE as $id => [$name, $amount]): ?>
<p><?= $name ?> <button name="product" value="<?= $id ?>">Buy for €<?= $amount / 100 ?></button></p>
<?php endforeach ?></form>
<?php elseif ($order['payment'] !== null): ?>
<h1>Paid<?= $order['refunded'] > 0 ? sprintf(', and €%.2f refunded', $order['refunded'] / 100) : '' ?></h1>
<?php else: ?>
<h1>Pay</h1><div id="pay"></div><script type="module">
  const sdk = await import('<?= COUNTERFOIL_URL ?>/checkout/sdk/v1/counterfoil.mjs').catch(() => undefined);
  if (!sdk) document.querySelector('#pay').append('The payment cannot be loaded. Please try again in a minute.');
  sdk?.Counterfoil.checkout({
    clientToken: '<?= $order['token'] ?>', element: '#pay',
    onComplete: ({ resumed }) => resumed || location.reload(), // the server finds out whether the order is paid
    onError: ({ code, message }) => console.error(code, message),
  });
</script>
<?php endif ?>
