#!/bin/sh
# A small support agent that speaks the taketwo protocol (docs/protocol.md), in POSIX sh.
#
# It needs sh and sed and nothing else. Its rules, its tool calls and its replies are those of
# ../python/support_agent.py. It leaves three things out:
#   - `history` and `setup` are not read: an order number or an e-mail address must be in `input`.
#   - A \uXXXX escape in `input` is a separator. taketwo writes such escapes for control characters
#     alone, so nothing is lost.
#   - Of a tool's result it takes the first key of a name, wherever that key stands.
#
# It reads JSON with sed. That is sound because taketwo's messages are compact and their keys stand
# in a fixed order. A JSON string cannot hold raw control characters, so three of them serve as
# marks inside this program: A stands for an escaped backslash, B for an escaped quote. With both
# out of the way a string ends at the next quote. Text that came from a tool is never decoded. It
# goes into the reply as it is, escapes and all.

set -u -f
LC_ALL=C
export LC_ALL
A=$(printf '\001') B=$(printf '\002') C=$(printf '\003') D=$(printf '\004')

protect() { sed 's/\\\\/'"$A"'/g; s/\\"/'"$B"'/g'; }
restore() { sed 's/'"$A"'/\\\\/g; s/'"$B"'/\\"/g'; }

send() { printf '%s\n' "$1" | restore; }
note() { printf '%s\n' "$1" | restore >&2; }

# Put the next message into `line`. The program ends at the end of standard input.
receive() {
    IFS= read -r line || [ -n "$line" ] || exit 0
    line=$(printf '%s\n' "$line" | protect)
}

# field KEY JSON: the first value of that key as text. It is empty for null and for no such key.
field() {
    printf '%s\n' "$2" | sed -n -e '/"'"$1"'":/!d' -e 's/"'"$1"'":/'"$C"'/' \
        -e 's/^[^'"$C"']*'"$C"'//' -e '/^null/d' \
        -e '/^"/{s/^"//;s/".*//;p;d;}' -e 's/[],}].*//p;t' -e p
}

# A STAND-IN for tokens. No model is called here, so there is no true count to report.
# It counts the pieces between spaces in the compact JSON text. A decision step "reads" the user's
# text and all tool answers so far, and "writes" its tool calls or the reply. Report what your
# model's service reports, or leave `tokens` out: it then stays unknown.
words() {
    IFS=' '
    # shellcheck disable=SC2086
    set -- $1
    unset IFS
    count=$#
}
decide() {
    steps=$((steps + 1))
    tokens_in=$((tokens_in + seen))
}

# call NAME ARGUMENTS: send one tool call of this step. Its number is in `calls`.
call() {
    calls=$((calls + 1))
    words "$2"
    tokens_out=$((tokens_out + 1 + count))
    head='{"type":"tool_call","attempt":"'"$attempt"'","call":"c'"$calls"'"'
    send "$head"',"name":"'"$1"'","arguments":'"$2"',"step":'"$steps}"
}

# Wait until all calls are answered, in any order. `answer` below gives them.
# Returns 1 when taketwo cancels the attempt.
collect() {
    while [ "$answered" -lt "$calls" ]; do
        receive
        case $line in
            '{"type":"tool_result","attempt":"'"$attempt"'","call":"c'*) kind=result ;;
            '{"type":"tool_error","attempt":"'"$attempt"'","call":"c'*) kind=error ;;
            '{"type":"cancel","attempt":"'"$attempt"'"'*)
                # The failure says that the work has stopped, so this process may be kept.
                send '{"type":"failure","attempt":"'"$attempt"'","message":"cancelled"}'
                return 1 ;;
            *)
                note "skipped: $line"
                continue ;;
        esac
        rest=${line#*\"call\":\"c}
        number=${rest%%\"*}
        case $number in '' | *[!0-9]*) continue ;; esac
        case $open in *" $number "*) ;; *) continue ;; esac
        open="${open%%" $number "*} ${open#*" $number "}"
        rest=${rest#*\":}
        rest=${rest%\}}
        words "$rest"
        seen=$((seen + count))
        answered=$((answered + 1))
        if [ "$kind" = error ]; then
            message=$(field message "$rest")
            eval "failed_$number=yes answer_$number=\${message:-no reason given}"
        else
            eval "failed_$number=no answer_$number=\$rest"
        fi
    done
}

# answer N: put answer N into `got` (a result as JSON or an error message), yes or no into `failed`.
answer() {
    eval "failed=\$failed_$1 got=\$answer_$1"
}

say() { said="$said${said:+ }$1"; }
say_later() { later="$later${later:+ }$1"; }

# Does one of these words stand in the user's text?
heard() {
    for word; do
        case $spoken in *" $word "*) return 0 ;; esac
    done
    return 1
}

# Find out what the user's words ask for. $1 is the inside of the JSON string.
understand() {
    # Lower-case letters, "~" for all that is no plain ASCII character.
    text=$(printf '%s\n' "$1" | sed -e 's/\\u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]/~/g' \
        -e 's|\\/|/|g' -e 's/\\./~/g' -e 's/[^ -~]/~/g' \
        -e 'y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/')

    email=
    case $text in *@*)
        for word in $(printf '%s\n' "$text" | sed 's/[^a-z0-9._+@-][^a-z0-9._+@-]*/ /g'); do
            case $word in ?*@?*.?*) ;; *) continue ;; esac
            word=$(printf '%s\n' "$word" | sed 's/^[._+-]*//; s/[._+-]*$//')
            case $word in
                *@*@*) ;;
                ?*@?*.?*) email=$word; break ;;
            esac
        done
        text=$(printf '%s\n' "$text" | sed -e 's/[a-z0-9._+@-][a-z0-9._+@-]*/'"$C&$D"'/g' \
            -e 's/'"$C[^$C$D]*@[^$C$D]*$D"'/~/g' -e 's/['"$C$D"']//g') ;;
    esac
    spoken=" $(printf '%s\n' "$text" | sed 's/[^a-z0-9][^a-z0-9]*/ /g') "

    # The runs of digits, signs and spaces, one a line. A run that is a sum holds no order number.
    runs=$(printf '%s\n' "$text" | sed 's|[^0-9.()+*/ -][^0-9.()+*/ -]*|\
|g' | sed -e 's|^[^0-9(]*||' -e 's|[^0-9)]*$||')
    expression=$(printf '%s\n' "$runs" | sed -n -e '\|[0-9)] *[*+] *[0-9(]|{p;q;}' \
        -e '\|[0-9)]  *[-/]  *[0-9(]|{p;q;}')
    orders= amount_of_orders=0
    for word in $(printf '%s\n' "$runs" | sed -e '\|[0-9)] *[*+] *[0-9(]|d' \
        -e '\|[0-9)]  *[-/]  *[0-9(]|d' -e 's|[^0-9][^0-9]*| |g'); do
        case $word in ????????????? | ?????????????*) continue ;; ????*) ;; *) continue ;; esac
        case " $orders " in *" $word "*) continue ;; esac
        orders="$orders $word" amount_of_orders=$((amount_of_orders + 1))
        [ "$amount_of_orders" -lt 4 ] || break
    done
    if [ -z "$expression$orders" ]; then
        case $text in *'how much is '*)
            expression=$(printf '%s\n' "$text" | sed -e 's/how much is /'"$C"'/' \
                -e 's/^[^'"$C"']*'"$C"'//' -e 's|[^a-z0-9 .,+*/()%-].*||' \
                -e 's/^[ .,]*//' -e 's/[ .,]*$//')
            case $expression in *[0-9]*) ;; *) expression= ;; esac ;;
        esac
    fi

    refund=no track=no topic=
    if heard refund refunds refunded 'money back'; then refund=yes; fi
    if heard where track tracking parcel package; then track=yes; fi
    if heard policy policies warranty guarantee ||
        { [ -z "$expression$orders$email" ] && heard how; }; then
        if heard return returns refund refunds money; then topic=returns
        elif heard warranty guarantee broken; then topic=warranty
        elif heard ship shipping deliver delivery; then topic=shipping
        elif heard pay payment invoice card; then topic=payment
        else topic=contact
        fi
    fi
}

# Call the tools and put the reply into `said`. Returns 1 when the attempt is cancelled.
work() {
    said= later=
    if [ -z "$orders$email$topic$expression" ]; then
        say 'Please tell me your order number or your e-mail address.'
        return 0
    fi

    decide
    for order in $orders; do
        call get_order '{"order_id":"'"$order"'"}'
    done
    search=0 article=0 sum=0
    if [ -n "$email" ] && [ -z "$orders" ]; then
        call search_orders '{"email":"'"$email"'"}'
        search=$calls
    fi
    if [ -n "$topic" ]; then
        call read_article '{"topic":"'"$topic"'"}'
        article=$calls
    fi
    if [ -n "$expression" ]; then
        call calculate '{"expression":"'"$expression"'"}'
        sum=$calls
    fi
    wait_for_all || return 1

    n=0
    for order in $orders; do
        n=$((n + 1))
        answer "$n"
        if [ "$failed" = yes ]; then
            say "I could not look up order $order ($got)."
            continue
        fi
        status=$(field status "$got") total=$(field total "$got") tracking=$(field tracking "$got")
        say "Order $order is ${status:-unknown}, total ${total:-unknown}."
        if [ "$amount_of_orders" -eq 1 ]; then
            follow_up || return 1
        fi
    done
    if [ "$amount_of_orders" -gt 1 ] && [ "$refund$track" != nono ]; then
        say 'Please tell me which one to go on with.'
    fi
    if [ "$search" -gt 0 ]; then
        answer "$search"
        if [ "$failed" = yes ]; then say_later "I could not search the orders of $email ($got)."
        else list_orders
        fi
    fi
    if [ "$article" -gt 0 ]; then
        answer "$article"
        if [ "$failed" = yes ]; then say_later "I could not read the article on $topic ($got)."
        else
            got=$(field text "$got")
            say_later "${got:-The article on $topic is empty.}"
        fi
    fi
    if [ "$sum" -gt 0 ]; then
        answer "$sum"
        if [ "$failed" = yes ]; then say_later "I could not calculate $expression ($got)."
        else
            got=$(field value "$got")
            say_later "$expression = ${got:-unknown}."
        fi
    fi
    said="$said${later:+${said:+ }$later}"
}

# The second step of a request about one order: its refund, its parcel, or both at once.
follow_up() {
    refund_call=0 track_call=0
    refund_ok=no
    case $status in delivered | returned) [ -z "$total" ] || refund_ok=yes ;; esac
    if [ "$refund$refund_ok" = yesyes ] || { [ "$track" = yes ] && [ -n "$tracking" ]; }; then
        decide
        if [ "$refund$refund_ok" = yesyes ]; then
            call refund '{"order_id":"'"$order"'","amount":"'"$total"'"}'
            refund_call=$calls
        fi
        if [ "$track" = yes ] && [ -n "$tracking" ]; then
            call track_parcel '{"tracking":"'"$tracking"'"}'
            track_call=$calls
        fi
        wait_for_all || return 1
    fi
    if [ "$refund_call" -gt 0 ]; then
        answer "$refund_call"
        if [ "$failed" = yes ]; then say "I could not refund it ($got)."
        else
            got=$(field amount "$got")
            say "I refunded ${got:-$total}."
        fi
    elif [ "$refund" = yes ]; then
        case $status in
            delivered | returned) say 'I cannot refund it: its total is unknown.' ;;
            *) say "I cannot refund it: its status is ${status:-unknown}." ;;
        esac
    fi
    if [ "$track_call" -gt 0 ]; then
        answer "$track_call"
        if [ "$failed" = yes ]; then
            decide
            call track_parcel '{"tracking":"'"$tracking"'"}'
            wait_for_all || return 1
            answer "$calls"
        fi
        if [ "$failed" = yes ]; then say "I could not track the parcel $tracking ($got)."
        else
            state=$(field state "$got") eta=$(field eta "$got")
            say "The parcel $tracking is ${state:-unknown}${eta:+, expected $eta}."
        fi
    elif [ "$track" = yes ]; then
        say 'It has no parcel yet.'
    fi
}

# The orders of a search, one object a line.
list_orders() {
    list=$(printf '%s\n' "$got" | sed -n -e 's/"orders":\[/'"$C"'/' \
        -e 's/^[^'"$C"']*'"$C"'//p' | sed 's/},{"\([A-Za-z_]\)/}\
{"\1/g')
    listed= found=0
    while IFS= read -r one; do
        case $one in '{'*) ;; *) continue ;; esac
        id=$(field id "$one") status=$(field status "$one") total=$(field total "$one")
        found=$((found + 1))
        listed="$listed${listed:+, }${id:-unknown} (${status:-unknown}, ${total:-unknown})"
    done <<LIST
$list
LIST
    case $found in
        0) say_later "I found no orders for $email." ;;
        1) say_later "I found 1 order for $email: $listed." ;;
        *) say_later "I found $found orders for $email: $listed." ;;
    esac
}

wait_for_all() {
    open=
    n_open=$((answered + 1))
    while [ "$n_open" -le "$calls" ]; do
        open="$open $n_open "
        n_open=$((n_open + 1))
    done
    collect
}

turn() {
    rest=${line#'{"type":"turn","attempt":"'}
    attempt=${rest%%\"*}
    case $rest in
        "$attempt"'","input":"'*) ;;
        *)
            send '{"type":"failure","attempt":"'"$attempt"'","message":"the input is not text"}'
            return ;;
    esac
    input=$(printf '%s\n' "$rest" | sed -e 's/^[^"]*","input":"//' -e 's/".*//')
    steps=0 calls=0 answered=0 tokens_in=0 tokens_out=0
    words "\"$input\""
    seen=$count
    understand "$input"
    work || return 0
    decide
    words "\"$said\""
    tokens_out=$((tokens_out + count))
    usage='"modelCalls":'"$steps"',"tokens":{"input":'"$tokens_in"',"output":'"$tokens_out}"
    send '{"type":"reply","attempt":"'"$attempt"'","output":"'"$said"'",'"$usage}"
}

about='"name":"support-agent","version":"1.0","breakableTools":["track_parcel"]'
send '{"type":"hello","protocol":1,'"$about}"
while :; do
    receive
    case $line in
        '{"type":"hello","protocol":1,'* | '{"type":"hello","protocol":1}') ;;
        '{"type":"hello",'*)
            note 'this agent speaks protocol 1 alone'
            exit 2 ;;
        '{"type":"turn","attempt":"'*) turn ;;
        *) ;; # Anything else is late or unknown. It is no fault to skip it.
    esac
done
