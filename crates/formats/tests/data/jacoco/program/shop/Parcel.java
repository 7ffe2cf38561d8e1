// Prices parcels given as words such as "3kg" or "express" on the command line.
package shop;

public class Parcel {
    static int weightPrice(int weight) {
        if (weight > 10) {
            return 20;
        }
        int price = 0;
        while (weight > 0) {
            price += 2;
            weight--;
        }
        return price;
    }

    static int express(int price) {
        return price * 2;
    }

    static int express(int price, String why) {
        return why.isEmpty() ? price : express(price);
    }

    static int neverCalled(int weight) {
        return -weight;
    }

    public static void main(String[] words) {
        int total = 0;
        for (String word : words) {
            if (word.endsWith("kg")) {
                total += weightPrice(Integer.parseInt(word.substring(0, word.length() - 2)));
            } else if (word.equals("express") && total > 0) {
                total = express(total, word);
            } else {
                try {
                    total += Integer.parseInt(word);
                } catch (NumberFormatException error) {
                    System.out.println("skipped " + word);
                }
            }
        }
        Runnable print = new Printer(total)::print;
        print.run();
    }

    static class Printer {
        private final int total;

        Printer(int total) {
            this.total = total;
        }

        void print() {
            System.out.println(total);
        }
    }
}
